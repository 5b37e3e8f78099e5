"""Calls the CI interface, and reads its responses; an unexpected schema raises ServiceError."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast, get_args

from visual_review.client.capture import Fingerprint, Variant
from visual_review.client.capture.themes import ThemeFinding, read_finding
from visual_review.client.transport.connection import OLDEST_SERVER, Connection, FilePart
from visual_review.client.transport.errors import ServiceError, expect_schema
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits
from visual_review.variants import Device, Theme, Viewport

# Browsers do not draw wider surfaces reliably.
LARGEST_VIEWPORT: Final = 8192
UNFINISHED: Final = frozenset({"uploading", "processing"})
PNG: Final = "image/png"


@dataclass(frozen=True, slots=True)
class Plan:
    """The screenshots to capture, and the baseline for the comparison."""

    themes: tuple[Theme, ...]
    devices: tuple[Device, ...]
    viewports: Mapping[Device, Viewport]
    detection_armed: bool
    baseline_rule: str
    baseline_id: str
    baseline_branch: str
    # Version of the baseline, if any.
    baseline_version: int | None
    # The baseline's stories with the hashes of their captures, empty if unknown.
    stories: Mapping[str, Fingerprint]
    # Limits of the server.
    image_limits: Limits = DEFAULT_LIMITS
    # Whether ``CODEOWNERS`` counts, as the build is of the default branch.
    takes_code_owners: bool = False
    # How themes were switched in the builds of the baseline.
    theme_finding: ThemeFinding | None = None

    @property
    def variants(self) -> tuple[Variant, ...]:
        return tuple(Variant(theme, device) for theme in self.themes for device in self.devices)


@dataclass(frozen=True, slots=True)
class CreatedBuild:
    """``direct_uploads``: the storage receives images itself, if their sizes are announced."""

    id: str
    number: int
    status: str
    url: str
    direct_uploads: bool = False
    unknown_reviewers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Upload:
    sha256: str
    url: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One screenshot that differs or failed."""

    story_id: str
    title: str
    variant: str
    diff_state: str
    diff_ratio: float | None
    # Empty until someone has decided on this change.
    review_decision: str
    # Why the screenshot failed.
    message: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Screenshots that changed alike; one is enough for a group."""

    name: str
    screenshot_count: int
    # Number of screenshots with further changes.
    remainder_count: int
    not_from_branch: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Status and result of a build. ``document`` is the response as received.

    ``groups`` are the first of ``group_count``.
    """

    id: str
    number: int
    status: str
    failure: str
    review_state: str
    decision_source: str
    counts: Mapping[str, int]
    to_review: tuple[ReviewItem, ...]
    group_count: int
    groups: tuple[ChangeGroup, ...]
    shards_total: int
    shards_finished: int
    url: str
    document: Mapping[str, Any]
    open_threads: int = 0

    @property
    def unfinished(self) -> bool:
        return self.status in UNFINISHED


def read_plan(body: Mapping[str, Any]) -> Plan:
    baseline = body.get("baseline") or {}
    with expect_schema("capture plan"):
        # The first servers had no version.
        require_accepted_server(int((body.get("interface") or {}).get("version", 1)))
        return Plan(
            themes=cast("tuple[Theme, ...]", _parse_axis(body["themes"], get_args(Theme))),
            devices=cast("tuple[Device, ...]", _parse_axis(body["devices"], get_args(Device))),
            viewports={device: _read_viewport(device, body) for device in get_args(Device)},
            detection_armed=bool(body.get("detectionArmed")),
            baseline_rule=str(body.get("baselineRule", "")),
            baseline_id=str(baseline.get("id", "")),
            baseline_branch=str(baseline.get("branch", "")),
            baseline_version=baseline.get("move"),
            stories=_read_stories(body),
            image_limits=_read_limits(body),
            takes_code_owners=body.get("takesCodeOwners") is True,
            theme_finding=_read_theme_finding(body.get("themeEvidence")),
        )


def _read_stories(body: Mapping[str, Any]) -> dict[str, Fingerprint]:
    renderers = body["renderers"]
    return {
        str(story): Fingerprint(str(source), str(renderers.get(story, "")))
        for story, source in body["stories"].items()
    }


def _read_theme_finding(body: Any) -> ThemeFinding | None:  # noqa: ANN401 - Raw JSON.
    return None if body is None else read_finding(body)


def require_accepted_server(version: int) -> None:
    """Raise ServiceError if the server is too old for this client."""
    if version < OLDEST_SERVER:
        raise ServiceError(
            f"The server has version {version} of the CI interface, this client needs {OLDEST_SERVER} or "
            "later. Install the client that the server offers at /client/, or update the server."
        )


def _read_limits(plan: Mapping[str, Any]) -> Limits:
    sizes = plan["imageLimits"]
    return Limits(side=int(sizes["side"]), pixels=int(sizes["pixels"]))


def _read_viewport(device: str, plan: Mapping[str, Any]) -> Viewport:
    size = plan["viewports"][device]
    viewport = Viewport(int(size["width"]), int(size["height"]))
    if not all(1 <= length <= LARGEST_VIEWPORT for length in viewport):
        raise ValueError(
            f"this client captures viewports up to {LARGEST_VIEWPORT} pixels wide and high, "
            f"not {viewport.width} x {viewport.height} for {device}"
        )
    return viewport


def read_created(body: Mapping[str, Any]) -> CreatedBuild:
    with expect_schema("new build"):
        return CreatedBuild(
            str(body["id"]),
            int(body["number"]),
            str(body["status"]),
            str(body["url"]),
            direct_uploads=body.get("directUploads") is True,
            unknown_reviewers=tuple(map(str, body.get("unknownReviewers", ()))),
        )


def read_uploads(body: Mapping[str, Any]) -> list[Upload]:
    with expect_schema("list of uploads"):
        return [Upload(str(item["sha256"]), str(item["url"])) for item in body["uploads"]]


def read_progress(body: Mapping[str, Any]) -> Progress:
    with expect_schema("state of the build"):
        shards = body.get("shards") or {}
        return Progress(
            id=str(body["id"]),
            number=int(body["number"]),
            status=str(body["status"]),
            failure=str(body.get("failure") or ""),
            review_state=str(body["reviewState"]),
            decision_source=str(body.get("decisionSource") or ""),
            counts={str(state): int(count) for state, count in body["counts"].items()},
            open_threads=body.get("openThreads", 0),
            to_review=tuple(_read_item(item) for item in body.get("toReview", ())),
            group_count=int(body.get("groupCount", 0)),
            groups=tuple(_read_group(group) for group in body.get("groups", ())),
            shards_total=int(shards.get("total", 1)),
            shards_finished=int(shards.get("finished", 0)),
            url=str(body["url"]),
            document=body,
        )


def _read_item(item: Mapping[str, Any]) -> ReviewItem:
    ratio = item.get("diffRatio")
    return ReviewItem(
        story_id=str(item["storyId"]),
        title=str(item.get("title") or item["storyId"]),
        variant=f"{item['theme']}-{item['device']}",
        diff_state=str(item["diffState"]),
        diff_ratio=None if ratio is None else float(ratio),
        review_decision=str(item.get("reviewDecision") or ""),
        message=str(item.get("message") or ""),
        summary=str(item.get("summary") or ""),
    )


def _read_group(group: Mapping[str, Any]) -> ChangeGroup:
    return ChangeGroup(
        name=str(group["name"]),
        screenshot_count=int(group["screenshotCount"]),
        remainder_count=int(group["remainderCount"]),
        not_from_branch=group.get("notFromBranch") is True,
    )


def _parse_axis(names: list[str], allowed: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        raise ValueError(f"{unknown or 'nothing'} to capture")
    # The order of the interface: the same plan always captures in the same order.
    return tuple(name for name in allowed if name in names)


class Service(Connection):
    """Capture plans, builds and their images."""

    def plan(self, query: Mapping[str, str | int]) -> Plan:
        return read_plan(self.call("GET", "capture-plan", params=query))

    def create(self, build: Mapping[str, Any]) -> CreatedBuild:
        return read_created(self.call("POST", "builds", json=build))

    def announce(
        self, build_id: str, shard: int, screenshots: Sequence[Mapping[str, Any]]
    ) -> list[Upload]:
        """Send a chunk of the manifest, and return the requested uploads."""
        body = {"shard": shard, "screenshots": screenshots}
        return read_uploads(self.call("POST", f"builds/{build_id}/screenshots", json=body))

    def finish(
        self, build_id: str, shard: int, themes: Mapping[str, Any] | None = None
    ) -> Progress:
        """Finish a shard. Raises ConflictError with ``missing`` if announced images are missing."""
        body = {"shard": shard} if themes is None else {"shard": shard, "themes": themes}
        return read_progress(self.call("POST", f"builds/{build_id}/finish", json=body))

    def progress(self, build_id: str) -> Progress:
        return read_progress(self.call("GET", f"builds/{build_id}"))

    def put_image(self, upload: Upload, file: Path) -> None:
        """Upload one image. Raises UploadUrlError if the URL has expired."""
        self.put(upload.url, FilePart.whole(file, PNG), f"the image {upload.sha256}")
