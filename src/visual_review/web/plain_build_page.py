"""The contents of a build's page without JavaScript: stories, those to review first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple

from django.db.models import Case, Count, F, IntegerField, Max, Min, QuerySet, Value, When

from visual_review.builds.carried_approvals import find_origins
from visual_review.builds.deciders import ApprovalOrigin
from visual_review.builds.images.composites import percent
from visual_review.builds.images.sides import SingleSide, sides_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import (
    APPROVED,
    CHANGED,
    DIFF_STATE_RANK,
    DIFF_STATES,
    DIFFERENCES,
    FAILED,
    PENDING,
    UNCHANGED,
)
from visual_review.repositories.capture_rules import DEVICES, THEMES
from visual_review.web.deciders import origin_url
from visual_review.web.group_headings import GroupHeading, load_headings
from visual_review.web.image_urls import diff_url, image_url

# Up to six variants each, with three images: more would take long to load.
STORIES_PER_PAGE = 20
# Failed ones have no image; the page begins with their messages.
FILTERS = {
    "review": DIFFERENCES,
    "open": DIFFERENCES,
    "unchanged": (UNCHANGED,),
    "all": tuple(state for state in DIFF_STATES if state != FAILED),
}
CAPTIONS: Final[Mapping[SingleSide, str]] = {
    "before": "Baseline",
    "after": "Current",
    "diff": "Difference",
}
# Elsewhere, a story is shown in one place with all its variants.
GROUPED_VIEWS = frozenset({"review", "open"})
# A build may have thousands of screenshots, and the page shows one sentence about each.
UNUSED_FIELDS = ("comparison__changes", "comparison__signature", "comparison__boxes")


@dataclass(frozen=True)
class ShownImage:
    """An image of a screenshot: its caption, its URL and its size in pixels."""

    caption: str
    url: str
    width: int
    height: int


@dataclass(frozen=True)
class ScreenshotCard:
    """One screenshot as the page shows it."""

    row: Screenshot
    repository_id: str
    # Of a carried-over approval, unless its build is deleted.
    origin: ApprovalOrigin | None = None

    @property
    def origin_url(self) -> str:
        return origin_url(self.origin) if self.origin else ""

    @property
    def images(self) -> Sequence[ShownImage]:
        """The images that exist and differ."""
        state, found = self.row.diff_state, sides_of(self.row)
        sides = {"before": state != UNCHANGED, "after": True, "diff": state == CHANGED}
        return [
            ShownImage(CAPTIONS[side], self._url_of(side), found[side].width, found[side].height)
            for side in CAPTIONS
            if side in found and sides[side]
        ]

    @property
    def has_close_up(self) -> bool:
        return self.row.diff_state == CHANGED and "diff" in sides_of(self.row)

    def _url_of(self, side: SingleSide) -> str:
        comparison = self.row.comparison
        if side == "diff":
            return diff_url(self.repository_id, comparison.key if comparison else "")
        image = self.row.baseline_image if side == "before" else self.row.image
        return image_url(self.repository_id, image.sha256 if image else "")

    @property
    def reviewable(self) -> bool:
        return self.row.diff_state != PENDING

    @property
    def percent(self) -> str:
        return percent(self.row.diff_ratio)

    @property
    def summary(self) -> str:
        """What changed; empty where nothing did, and for verdicts of earlier versions."""
        comparison = self.row.comparison
        return comparison.summary if comparison and self.row.diff_state == CHANGED else ""

    @property
    def aligned_percent(self) -> str:
        """The share without moved content, if it is smaller."""
        comparison = self.row.comparison
        if not self.summary or comparison is None:
            return ""
        aligned = percent(comparison.aligned_ratio)
        smaller = comparison.aligned_ratio < self.row.diff_ratio and aligned != self.percent
        return aligned if smaller else ""


class StoryPart(NamedTuple):
    """A story, or those of its variants that are in one group."""

    story_id: str
    group_id: str | None


@dataclass(frozen=True)
class Story:
    """Variants of a story that are shown together; ``anchor`` is unique on the page."""

    id: str
    title: str
    anchor: str
    shots: list[ScreenshotCard] = field(default_factory=list)
    open_in_build: int = 0

    @property
    def approvable(self) -> bool:
        """Whether a difference is not approved yet, and all of these are shown."""
        shown = sum(
            shot.row.diff_state in DIFFERENCES and shot.row.review_decision != APPROVED
            for shot in self.shots
        )
        return 0 < shown == self.open_in_build


@dataclass(frozen=True)
class Section:
    """Stories under the heading of their group, or without one."""

    group: GroupHeading | None
    stories: Sequence[Story]


def find_stories(build: Build, view: str, story_id: str = "") -> QuerySet[Screenshot, Any]:
    """Return the fields of the story parts in one view of the build, worst state first.

    ``story_id`` limits them to that story.
    """
    rows = _rows_of_view(build, view)
    if story_id:
        rows = rows.filter(story_id=story_id)
    if view == "open":
        rows = rows.filter(review_decision="")
    state_rank = Case(
        *(When(diff_state=state, then=Value(rank)) for state, rank in DIFF_STATE_RANK.items()),
        output_field=IntegerField(),
    )
    fields = ("story_id", "group_id") if view in GROUPED_VIEWS else ("story_id",)
    found: QuerySet[Screenshot, Any] = (
        rows.values(*fields)
        .annotate(
            rank=Min(state_rank),
            position=Min("group__position"),
            severity=Max("comparison__severity"),
        )
        .order_by(
            "rank",
            F("position").asc(nulls_last=True),
            F("severity").desc(nulls_last=True),
            "story_id",
        )
    )
    return found


def load_sections(build: Build, found: Iterable[Mapping[str, Any]], view: str) -> list[Section]:
    """Load the found story parts, in this order, with the variants that the view shows."""
    parts = [StoryPart(each["story_id"], each.get("group_id")) for each in found]
    stories = _load_stories(build, parts, view)
    headings = load_headings(build, {part.group_id for part in parts if part.group_id})
    return [
        Section(headings.get(group_id or ""), [stories[part] for part in together])
        for group_id, together in groupby(parts, key=lambda part: part.group_id)
    ]


def list_anchors(sections: Sequence[Section]) -> set[str]:
    """Return the anchors of the groups, stories and screenshots that are shown."""
    anchors = {section.group.row.id for section in sections if section.group}
    for story in (story for section in sections for story in section.stories):
        anchors |= {f"story-{story.anchor}", *(shot.row.id for shot in story.shots)}
    return anchors


def _rows_of_view(build: Build, view: str) -> QuerySet[Screenshot]:
    return Screenshot.objects.filter(
        build=build, detection_only=False, diff_state__in=FILTERS[view]
    )


def _load_stories(build: Build, parts: Sequence[StoryPart], view: str) -> dict[StoryPart, Story]:
    ids = {part.story_id for part in parts}
    rows = (
        _rows_of_view(build, view)
        .filter(story_id__in=ids)
        .select_related("image", "baseline_image", "comparison")
        .defer(*UNUSED_FIELDS)
    )
    shots: dict[StoryPart, list[Screenshot]] = {part: [] for part in parts}
    for row in sorted(rows, key=_sort_key):
        part = StoryPart(row.story_id, row.group_id if view in GROUPED_VIEWS else None)
        # The rest of the story may be on another page.
        if part in shots:
            shots[part].append(row)
    return _stories(shots, _open_by_story(build, ids), build.repository_id)


def _stories(
    shots: Mapping[StoryPart, Sequence[Screenshot]], waiting: Mapping[str, int], repository_id: str
) -> dict[StoryPart, Story]:
    origins = find_origins({row.carried_from_id for rows in shots.values() for row in rows})
    seen: Counter[str] = Counter()
    stories = {}
    for part, rows in shots.items():
        seen[part.story_id] += 1
        number = seen[part.story_id]
        stories[part] = Story(
            id=part.story_id,
            title=next((row.title for row in rows if row.title), part.story_id),
            anchor=part.story_id if number == 1 else f"{part.story_id}-{number}",
            shots=[
                ScreenshotCard(row, repository_id, origins.get(row.carried_from_id)) for row in rows
            ],
            open_in_build=waiting.get(part.story_id, 0),
        )
    return stories


def _open_by_story(build: Build, ids: Iterable[str]) -> dict[str, int]:
    """Return how many differences of each story are not approved."""
    rows = Screenshot.objects.filter(
        build=build, detection_only=False, story_id__in=ids, diff_state__in=DIFFERENCES
    ).exclude(review_decision=APPROVED)
    return dict(rows.values_list("story_id").annotate(Count("pk")))


def _sort_key(row: Screenshot) -> tuple[int, int, int]:
    return DIFF_STATE_RANK[row.diff_state], THEMES.index(row.theme), DEVICES.index(row.device)
