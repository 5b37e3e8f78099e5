"""The contents of a build's page: stories with their variants, those to review first."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, IntegerField, Min, QuerySet, Value, When

from visual_review.builds.images.composites import percent
from visual_review.builds.images.links import ImageLinks, image_links_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFF_STATE_RANK,
    DIFF_STATES,
    FAILED,
    PENDING,
    TO_REVIEW,
    UNCHANGED,
)
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.repositories.capture_rules import DEVICES, THEMES

# Up to six variants each, with three images: more would take long to load.
STORIES_PER_PAGE = 20
FILTERS = {"review": TO_REVIEW, "open": TO_REVIEW, "unchanged": (UNCHANGED,), "all": DIFF_STATES}
BASELINE_RULES = {
    "target_branch": "the pull request's base branch",
    "own_branch": "the build's own branch",
    "default_branch": "the default branch, because no closer branch has a baseline",
    "none": "nothing, because no branch to compare with has a baseline yet",
}


@dataclass(frozen=True)
class ScreenshotCard:
    """One screenshot with its image URLs."""

    row: Screenshot
    images: ImageLinks

    @property
    def reviewable(self) -> bool:
        return self.row.diff_state not in {FAILED, PENDING}

    @property
    def percent(self) -> str:
        return percent(self.row.diff_ratio)


@dataclass(frozen=True)
class Story:
    id: str
    title: str
    shots: list[ScreenshotCard] = field(default_factory=list)

    @property
    def approvable(self) -> bool:
        """Whether a changed or new variant is not approved yet."""
        return any(
            shot.row.diff_state in BLOCKING and shot.row.review_decision != APPROVED
            for shot in self.shots
        )


def find_story_ids(build: Build, view: str, story_id: str = "") -> QuerySet[Screenshot, Any]:
    """Return the stories in one view of the build, as ``{"story_id": ...}``, worst state first.

    ``story_id`` limits them to that story.
    """
    rows = Screenshot.objects.filter(
        build=build, detection_only=False, diff_state__in=FILTERS[view]
    )
    if story_id:
        rows = rows.filter(story_id=story_id)
    if view == "open":
        rows = rows.filter(review_decision="")
    state_rank = Case(
        *(When(diff_state=state, then=Value(rank)) for state, rank in DIFF_STATE_RANK.items()),
        output_field=IntegerField(),
    )
    return rows.values("story_id").annotate(rank=Min(state_rank)).order_by("rank", "story_id")


def load_stories(build: Build, ids: Iterable[str], view: str) -> list[Story]:
    """Load the stories with these ids, in this order, with the variants that the view shows."""
    found = {story_id: Story(story_id, "") for story_id in ids}
    rows = Screenshot.objects.filter(
        build=build,
        detection_only=False,
        story_id__in=found,
        diff_state__in=FILTERS[view],
    ).select_related("image", "baseline_image", "comparison")
    blobs = blob_store()
    for row in sorted(rows, key=_sort_key):
        _add_screenshot(found, row, blobs)
    return list(found.values())


def _sort_key(row: Screenshot) -> tuple[int, int, int]:
    return DIFF_STATE_RANK[row.diff_state], THEMES.index(row.theme), DEVICES.index(row.device)


def _add_screenshot(found: dict[str, Story], row: Screenshot, blobs: BlobStore) -> None:
    story = found[row.story_id]
    if not story.title:
        story = found[row.story_id] = Story(row.story_id, row.title or row.story_id, story.shots)
    story.shots.append(ScreenshotCard(row, image_links_of(row, blobs)))
