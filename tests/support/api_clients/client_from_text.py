"""A client that somebody wrote by hand from the published text of the interface.

What it sends, and the names of fields, come from that text alone. The text leaves open how results
are put together; there it follows the table "Fields in results" of ``docs/reference/rest.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

Theme = Literal["light", "dark"]
Device = Literal["phone", "tablet", "desktop"]
Decision = Literal["approved", "rejected"]
Json = dict[str, Any]


class ApiError(Exception):
    """The service refused a call."""

    def __init__(self, action: str, status: int, message: str) -> None:
        super().__init__(f"{action}: {status}: {message}")
        self.action = action
        self.status = status
        self.message = message


class InvalidInputError(ApiError):
    """400: a property is missing, unknown or of the wrong kind."""


class UnauthorizedError(ApiError):
    """401: the API key is missing or invalid."""


class ForbiddenError(ApiError):
    """403: the API key may not invoke the action."""


class NotFoundError(ApiError):
    """404: unknown action and, it may be, an unknown id."""


ERRORS: dict[int, type[ApiError]] = {
    400: InvalidInputError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
}


@dataclass(frozen=True)
class Repository:
    id: str
    full_name: str
    default_branch: str

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["id"], data["fullName"], data["defaultBranch"])


@dataclass(frozen=True)
class HostRepository:
    full_name: str
    default_branch: str

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["fullName"], data["defaultBranch"])


@dataclass(frozen=True)
class ConnectedRepository:
    repository: Repository
    token: str

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(Repository.parse(data["repo"]), data["projectToken"])


@dataclass(frozen=True)
class Screenshot:
    id: str
    story_id: str
    theme: Theme
    device: Device
    diff_state: str
    diff_ratio: float | None
    review_decision: Decision | None
    comment: str | None

    @classmethod
    def parse(cls, data: Json) -> Self:
        variant = data["variant"]
        return cls(
            id=data["id"],
            story_id=data["storyId"],
            theme=variant["theme"],
            device=variant["device"],
            diff_state=data["diffState"],
            diff_ratio=data["diffRatio"],
            review_decision=data["reviewDecision"],
            comment=data["comment"],
        )


@dataclass(frozen=True)
class Build:
    id: str
    number: int
    product_key: str
    branch: str
    commit: str
    status: str
    diff_count: int
    review_state: str | None

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(
            id=data["id"],
            number=data["number"],
            product_key=data["productKey"],
            branch=data["branch"],
            commit=data["commit"],
            status=data["status"],
            diff_count=data["diffCount"],
            review_state=data["reviewState"],
        )


@dataclass(frozen=True)
class FullBuild:
    build: Build
    screenshots: list[Screenshot]

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(Build.parse(data), [Screenshot.parse(shot) for shot in data["screenshots"]])


@dataclass(frozen=True)
class DecisionResult:
    """The build after a decision."""

    build_id: str
    review_state: str

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["buildId"], data["reviewState"])


@dataclass(frozen=True)
class RepositoryCapture:
    themes: list[Theme]
    devices: list[Device]

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["themes"], data["devices"])


@dataclass(frozen=True)
class OrganizationCapture:
    themes: list[Theme] | None
    devices: list[Device] | None
    show_detection_notice: bool

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["themes"], data["devices"], data["showsDetectionNotice"])


@dataclass(frozen=True)
class Enrollment:
    repo_id: str
    enabled: bool

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["repoId"], data["enabled"])


@dataclass(frozen=True)
class Recording:
    id: str
    title: str
    linked_test: Json | None
    status: str
    duration_ms: int | None
    created_at: str

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(
            id=data["id"],
            title=data["title"],
            linked_test=data["test"],
            status=data["status"],
            duration_ms=data["durationMs"],
            created_at=data["createdAt"],
        )


@dataclass(frozen=True)
class FullRecording:
    recording: Recording
    video_url: str

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(Recording.parse(data), data["videoUrl"])


@dataclass(frozen=True)
class Region:
    x: float
    y: float
    width: float
    height: float

    @classmethod
    def parse(cls, data: Json) -> Self:
        return cls(data["x"], data["y"], data["width"], data["height"])

    def body(self) -> dict[str, float]:
        return {"x": self.x, "y": self.y, "width": self.width, "height": self.height}


def error_message(response: httpx.Response) -> str:
    """Find the message in an error answer, whose shape the text does not give."""
    try:
        body = response.json()
    except ValueError:
        return response.text
    if not isinstance(body, dict):
        return response.text
    error = body.get("error", body)
    if isinstance(error, str):
        return error
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return str(error["message"])
    return response.text


class VisualReviewClient:
    """Calls the actions of one Visual Review server with one API key."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/api/rest/actions/",
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def call(self, action: str, fields: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - Results differ.
        """Call an action and return its result; a field of None is left out."""
        body = {name: value for name, value in (fields or {}).items() if value is not None}
        response = self._http.post(action, json=body)
        if response.status_code != httpx.codes.OK:
            kind = ERRORS.get(response.status_code, ApiError)
            raise kind(action, response.status_code, error_message(response))
        return response.json()["result"]

    # Repositories

    def list_repos(self) -> list[Repository]:
        return [Repository.parse(repo) for repo in self.call("list_repos")["repos"]]

    def list_host_repos(self) -> list[HostRepository]:
        return [HostRepository.parse(repo) for repo in self.call("list_host_repos")["repos"]]

    def connect_repo(
        self, full_name: str, default_branch: str | None = None
    ) -> ConnectedRepository:
        fields = {"fullName": full_name, "defaultBranch": default_branch}
        return ConnectedRepository.parse(self.call("connect_repo", fields))

    def rotate_repo_token(self, repo_id: str) -> str:
        token: str = self.call("rotate_repo_token", {"repoId": repo_id})["projectToken"]
        return token

    def remove_repo(self, repo_id: str) -> None:
        self.call("remove_repo", {"repoId": repo_id})

    # Capture settings

    def set_repo_capture(
        self,
        repo_id: str,
        *,
        product_key: str | None = None,
        themes: Sequence[Theme] | None = None,
        devices: Sequence[Device] | None = None,
        reset_to_auto: bool | None = None,
        redetect: bool | None = None,
    ) -> RepositoryCapture:
        fields = {
            "repoId": repo_id,
            "productKey": product_key,
            "themes": None if themes is None else list(themes),
            "devices": None if devices is None else list(devices),
            "resetToAuto": reset_to_auto,
            "redetect": redetect,
        }
        return RepositoryCapture.parse(self.call("set_repo_capture", fields)["capture"])

    def set_org_capture(
        self,
        *,
        themes: Sequence[Theme] | None = None,
        devices: Sequence[Device] | None = None,
        reset_to_auto: bool | None = None,
        dismiss_detection_notice: bool | None = None,
        show_detection_notice: bool | None = None,
    ) -> OrganizationCapture:
        fields = {
            "themes": None if themes is None else list(themes),
            "devices": None if devices is None else list(devices),
            "resetToAuto": reset_to_auto,
            "dismissDetectionNotice": dismiss_detection_notice,
            "showDetectionNotice": show_detection_notice,
        }
        return OrganizationCapture.parse(self.call("set_org_capture", fields)["capture"])

    # Builds

    def list_builds(
        self, repo_id: str, *, product_key: str | None = None, limit: int | None = None
    ) -> list[Build]:
        fields = {"repoId": repo_id, "productKey": product_key, "limit": limit}
        return [Build.parse(build) for build in self.call("list_builds", fields)["builds"]]

    def get_build(self, build_id: str) -> FullBuild:
        return FullBuild.parse(self.call("get_build", {"buildId": build_id})["build"])

    # Review

    def approve_build(self, build_id: str) -> DecisionResult:
        return DecisionResult.parse(self.call("approve_build", {"buildId": build_id}))

    def reject_build(self, build_id: str) -> DecisionResult:
        return DecisionResult.parse(self.call("reject_build", {"buildId": build_id}))

    def review_screenshot(
        self, screenshot_id: str, state: Decision, comment: str | None = None
    ) -> DecisionResult:
        fields = {"screenshotId": screenshot_id, "state": state, "comment": comment}
        return DecisionResult.parse(self.call("review_screenshot", fields))

    def approve_all_screenshots(self, build_id: str) -> DecisionResult:
        return DecisionResult.parse(self.call("approve_all_screenshots", {"buildId": build_id}))

    def approve_story_screenshots(self, build_id: str, story_id: str) -> DecisionResult:
        fields = {"buildId": build_id, "storyId": story_id}
        return DecisionResult.parse(self.call("approve_story_screenshots", fields))

    def set_dynamic_regions(
        self,
        repo_id: str,
        story_id: str,
        theme: Theme,
        device: Device,
        regions: Sequence[Region],
        *,
        product_key: str | None = None,
    ) -> list[Region]:
        fields = {
            "repoId": repo_id,
            "productKey": product_key,
            "storyId": story_id,
            "theme": theme,
            "device": device,
            "regions": [region.body() for region in regions],
        }
        result = self.call("set_dynamic_regions", fields)
        return [Region.parse(region) for region in result["regions"]]

    # Recordings

    def enable_recordings(self, repo_id: str) -> Enrollment:
        return Enrollment.parse(self.call("enable_recordings", {"repoId": repo_id})["enrollment"])

    def disable_recordings(self, repo_id: str) -> Enrollment:
        return Enrollment.parse(self.call("disable_recordings", {"repoId": repo_id})["enrollment"])

    def list_recordings(
        self, repo_id: str, *, product_key: str | None = None, limit: int | None = None
    ) -> list[Recording]:
        fields = {"repoId": repo_id, "productKey": product_key, "limit": limit}
        return [
            Recording.parse(entry) for entry in self.call("list_recordings", fields)["recordings"]
        ]

    def get_recording(self, recording_id: str) -> FullRecording:
        result = self.call("get_recording", {"recordingId": recording_id})
        return FullRecording.parse(result["recording"])

    def delete_recording(self, recording_id: str) -> None:
        self.call("delete_recording", {"recordingId": recording_id})
