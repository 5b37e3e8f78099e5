"""Builds and screenshots as JSON."""

from typing import Literal, Self

from pydantic import Field

from visual_review.actions.change_results import ChangeResult
from visual_review.actions.schema import ActionResult
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.models import Build
from visual_review.builds.read_models import BuildRow
from visual_review.builds.states import Decision, DiffState, ReviewState, Status
from visual_review.builds.urls import build_page
from visual_review.kernel.clock import rfc3339
from visual_review.repositories.capture_rules import Device, Theme

Source = Literal["user", "api_key", "mcp", "carried_over"]


class DeciderResult(ActionResult):
    """Who decided, when, and how. ``client`` is the MCP client that was used."""

    name: str
    at: str
    source: Source
    client: str | None

    @classmethod
    def of(cls, row: Build | BuildRow) -> Self | None:
        if row.decided_at is None or not row.decision_source:
            return None
        return cls.model_validate(
            {
                "name": row.decided_by_name,
                "at": rfc3339(row.decided_at),
                "source": row.decision_source,
                "client": row.decided_client or None,
            }
        )


class VariantResult(ActionResult):
    theme: Theme
    device: Device


class BuildResult(ActionResult):
    """A build as lists show it. ``diffCount`` is changed + new + removed."""

    id: str
    number: int
    product_key: str
    branch: str
    head_repository: str | None = Field(description="The fork that has the branch, or null.")
    commit: str
    pull_request: int | None
    status: Status
    diff_count: int
    review_state: ReviewState
    decided: DeciderResult | None
    superseded_by: str | None
    created_at: str
    url: str


def build_fields(row: Build | BuildRow, product_key: str) -> dict[str, object]:
    """Return the fields that every view of a build shows."""
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


class ScreenshotResult(ActionResult):
    """One screenshot. Its image URLs expire after an hour; changed ones have all three.

    ``diffRatio`` is the plain comparison's, ``alignedRatio`` that after moved content is aligned.
    ``summary`` says what changed; ``changes`` are its areas, the worst first, at most ten.
    ``severity`` is 0 to 1 and orders screenshots. Thumbnails are null until they are rendered.
    """

    id: str
    story_id: str
    title: str
    variant: VariantResult
    diff_state: DiffState
    diff_ratio: float
    kind: ChangeKind | None
    summary: str | None
    severity: float | None
    aligned_ratio: float | None
    faint_pixels: int
    changes: list[ChangeResult]
    group_id: str | None
    message: str
    inherited: bool
    only_in_regions: bool
    matches_former_baseline: bool
    review_decision: Decision | None
    decided: DeciderResult | None
    comment: str | None
    before_url: str | None
    after_url: str | None
    diff_url: str | None
    change_thumbnail_url: str | None
    thumbnail_url: str | None
