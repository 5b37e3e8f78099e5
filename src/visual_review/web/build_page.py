"""What a build's page shows: stories with their variants, what needs a look first."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, IntegerField, Min, QuerySet, Value, When

from visual_review.builds.images.composites import percent
from visual_review.builds.images.links import ImageLinks, image_links_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import ORDER
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.repositories.capture_rules import DEVICES, THEMES

# Up to six variants each, with three pictures: more would load for long.
STORIES_A_PAGE = 20
TO_REVIEW = ("changed", "new", "removed", "failed")
FILTERS = {"review": TO_REVIEW, "open": TO_REVIEW, "unchanged": ("unchanged",), "all": tuple(ORDER)}
RULES = {
    "target_branch": "the branch this pull request targets",
    "own_branch": "its own branch",
    "default_branch": "the default branch, since no nearer one has a baseline",
    "none": "nothing: no branch it could be compared with has a baseline yet",
}


@dataclass(frozen=True)
class Shot:
    """A screenshot with the addresses of its pictures."""

    row: Screenshot
    pictures: ImageLinks

    @property
    def reviewable(self) -> bool:
        return self.row.diff_state not in {"failed", "pending"}

    @property
    def percent(self) -> str:
        return percent(self.row.diff_ratio)


@dataclass(frozen=True)
class Story:
    id: str
    title: str
    shots: list[Shot] = field(default_factory=list)

    @property
    def approvable(self) -> bool:
        """Whether a changed or new variant still waits for its approval."""
        return any(
            shot.row.diff_state in {"changed", "new"} and shot.row.review_decision != "approved"
            for shot in self.shots
        )


def story_ids(build: Build, view: str, story_id: str = "") -> QuerySet[Screenshot, Any]:
    """The stories of one view of the build, as ``{"story_id": ...}``, worst state first.

    ``story_id`` leaves that one alone.
    """
    rows = Screenshot.objects.filter(
        build=build, detection_only=False, diff_state__in=FILTERS[view]
    )
    if story_id:
        rows = rows.filter(story_id=story_id)
    if view == "open":
        rows = rows.filter(review_decision="")
    rank = Case(
        *(When(diff_state=state, then=Value(place)) for state, place in ORDER.items()),
        output_field=IntegerField(),
    )
    return rows.values("story_id").annotate(rank=Min(rank)).order_by("rank", "story_id")


def stories(build: Build, ids: Iterable[str], view: str) -> list[Story]:
    """The stories of these ids in their order, with the variants this view shows."""
    found = {story_id: Story(story_id, "") for story_id in ids}
    rows = Screenshot.objects.filter(
        build=build,
        detection_only=False,
        story_id__in=found,
        diff_state__in=FILTERS[view],
    ).select_related("image", "baseline_image", "comparison")
    blobs = blob_store()
    for row in sorted(rows, key=_place):
        _add(found, row, blobs)
    return list(found.values())


def _place(row: Screenshot) -> tuple[int, int, int]:
    return ORDER[row.diff_state], THEMES.index(row.theme), DEVICES.index(row.device)


def _add(found: dict[str, Story], row: Screenshot, blobs: BlobStore) -> None:
    story = found[row.story_id]
    if not story.title:
        story = found[row.story_id] = Story(row.story_id, row.title or row.story_id, story.shots)
    story.shots.append(Shot(row, image_links_of(row, blobs)))
