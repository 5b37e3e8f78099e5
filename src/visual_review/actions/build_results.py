"""Builds and screenshots as JSON."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Self

from pydantic import Field

from visual_review.actions.schema import ActionResult, Link, Timestamp
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.deciders import ApprovalOrigin, name_person
from visual_review.builds.earlier_decisions import LoggedComment
from visual_review.builds.models import Build
from visual_review.builds.read_models import BuildRow, ScreenshotRow
from visual_review.builds.states import Decision, DiffState, PublishedStatus, ReviewState, Status
from visual_review.builds.urls import build_page
from visual_review.kernel.clock import rfc3339
from visual_review.variants import Device, Theme, describe_devices

# By the ids of the approved screenshots.
Origins = Mapping[str, ApprovalOrigin]
Source = Literal["user", "api_key", "mcp", "carried_over"]
STATUS: Final = "State of the processing; only a completed build can be decided."


class CarriedOverFromResult(ActionResult):
    """The approval that was carried over: where it was made."""

    build_id: str = Field(
        description="Id of the build with the approval.",
        examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzf"],
    )
    build_number: int = Field(description="Number of the build with the approval.", examples=[121])
    pull_request: int | None = Field(
        description="Number of the pull request of the build with the approval; null without one.",
        examples=[40],
    )
    screenshot_id: str = Field(
        description="Id of the approved screenshot.",
        examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzg"],
    )

    @classmethod
    def of(cls, origin: ApprovalOrigin | None) -> Self | None:
        return None if origin is None else cls.model_validate(origin._asdict())


class DeciderResult(ActionResult):
    """Who decided, when, and how."""

    name: str = Field(
        description="Name of the user or the key, never empty; for a carried-over approval, of "
        "its author. For several approvals carried over to a build, all authors.",
        examples=["Alice Smith"],
    )
    at: Timestamp = Field(description="When.", examples=["2026-03-14T09:26:53.000Z"])
    source: Source = Field(
        description="How: by a user on the pages, with an API key, through an MCP client, or "
        "carried over from an earlier decision on the same pair of images.",
        examples=["mcp"],
    )
    client: str | None = Field(
        description="Name of the MCP client; null without one.", examples=["Claude Code"]
    )

    @classmethod
    def of(
        cls, row: Build | BuildRow | ScreenshotRow | LoggedComment, **more: object
    ) -> Self | None:
        if row.decided_at is None or not row.decision_source:
            return None
        return cls.model_validate(
            {
                "name": name_person(row.decided_by_name),
                "at": rfc3339(row.decided_at),
                "source": row.decision_source,
                "client": row.decided_client or None,
                **more,
            }
        )


class DeciderWithOriginResult(DeciderResult):
    """Who decided, when, how, and from where it was carried over."""

    carried_over_from: CarriedOverFromResult | None = Field(
        default=None,
        description="Origin of a carried-over approval, for a build of the newest one; null for "
        "other decisions, and once the origin's build is deleted.",
        examples=[None],
    )

    @classmethod
    def with_origin(cls, build: Build, origins: Origins) -> Self | None:
        origin = CarriedOverFromResult.of(origins.get(build.carried_from_id))
        return cls.of(build, carried_over_from=origin)


class VariantResult(ActionResult):
    """A theme on a device; a story has one screenshot for each."""

    theme: Theme = Field(description="Color theme of the page.", examples=["light"])
    device: Device = Field(
        description=f"Size of the viewport: {describe_devices()} pixels.",
        examples=["phone"],
    )


class SizeResult(ActionResult):
    """The size of an image in pixels."""

    width: int = Field(description="In pixels.", examples=[390])
    height: int = Field(description="In pixels.", examples=[844])


EARLIER_DECIDER: Final[dict[str, Any]] = {
    "name": "Bob Jones",
    "at": "2026-03-14T09:12:40.000Z",
    "source": "user",
    "client": None,
}


class EarlierCommentResult(ActionResult):
    """A comment on a screenshot, with the earlier decision that it was given with."""

    comment: str = Field(
        description="The reviewer's comment.", examples=["The label must stay on one line."]
    )
    decision: Decision = Field(description="The decision with the comment.", examples=["rejected"])
    decided: DeciderResult = Field(
        description="Who decided it, when, and how.", examples=[EARLIER_DECIDER]
    )


class BuildFields(ActionResult):
    """What every view of a build shows: its status, its counts and its review."""

    id: str = Field(
        description="Id of the build; `buildId` in other actions.",
        examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"],
    )
    number: int = Field(description="Counts the builds of the repository, from 1.", examples=[128])
    product_key: str = Field(description="Key of the build's product.", examples=["default"])
    branch: str = Field(description="Branch of the build.", examples=["feature/login"])
    head_repository: str | None = Field(
        description="The fork with the branch; null for the repository's own branches.",
        examples=["bob/web"],
    )
    commit: str = Field(
        description="Full hash of the built commit.",
        examples=["4f9c1d7be0a2638517c4d0e9ab35f2c6718d9e04"],
    )
    pull_request: int | None = Field(
        description="Number of the pull request at the Git provider; null without one.",
        examples=[42],
    )
    status: Status = Field(description=STATUS, examples=["completed"])
    diff_count: int = Field(
        description="Number of changed, new and removed screenshots together.", examples=[3]
    )
    review_state: ReviewState = Field(
        description="The decision on it; `not_required` where nothing differs or failed.",
        examples=["unreviewed"],
    )
    decided: DeciderResult | None = Field(
        description="Who decided the build; null while no one has.", examples=[None]
    )
    superseded_by: str | None = Field(
        description="Id of the newer build of the same branch and product; null for the newest "
        "build and for builds decided before.",
        examples=[None],
    )
    created_at: Timestamp = Field(
        description="When CI began to publish the build.",
        examples=["2026-03-14T09:05:12.000Z"],
    )
    url: Link = Field(
        description="Page of the build for reviewers.",
        examples=["https://review.example.com/builds/build_01jq3v8e6m5x0c2n9d4t7r1kzb"],
    )


class BuildResult(BuildFields):
    """A build as lists show it: past its upload, so never `uploading` or `expired`."""

    status: PublishedStatus = Field(description=STATUS, examples=["completed"])


def build_fields(row: Build | BuildRow, product_key: str) -> dict[str, object]:
    """Return the fields of a build in every view."""
    return {
        "id": row.id,
        "number": row.number,
        "product_key": product_key,
        "branch": row.branch,
        "head_repository": row.head_repository or None,
        "commit": row.commit,
        "pull_request": row.pull_request,
        "status": row.status,
        "diff_count": row.changed_count + row.new_count + row.removed_count,
        "review_state": row.review_state,
        "decided": DeciderResult.of(row),
        "superseded_by": row.superseded_by_id,
        "created_at": rfc3339(row.created_at),
        "url": build_page(row),
    }


class Counts(ActionResult):
    """Numbers of screenshots by what the comparison saw; all are 0 until it is done."""

    changed: int = Field(description="Number of changed ones.", examples=[2])
    new: int = Field(description="Number of new ones.", examples=[1])
    removed: int = Field(description="Number of removed ones.", examples=[0])
    failed: int = Field(description="Number of failed ones.", examples=[0])
    unchanged: int = Field(description="Number of unchanged ones.", examples=[237])
    inherited: int = Field(
        description="Of the unchanged ones: not captured, taken over from the baseline.",
        examples=[0],
    )


class DecisionCountResult(ActionResult):
    """How many screenshots have both this diff state and this decision."""

    diff_state: DiffState = Field(
        description="The result of the comparison; `pending` before its end.", examples=["changed"]
    )
    decision: Decision | None = Field(
        description="The current decision; null: undecided.", examples=["approved"]
    )
    count: int = Field(description="Number of these screenshots, 1 or more.", examples=[1])


class BaselineResult(ActionResult):
    """What the build was compared with, and the rule that chose it."""

    rule: Rule = Field(description="The rule that chose the branch; `none`: there is no baseline.")
    branch: str | None = Field(
        description="The branch whose baseline it is; null without one.", examples=["main"]
    )
    move: int = Field(description="Version of this baseline, from 1; 0 without one.", examples=[12])
