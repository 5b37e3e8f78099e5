"""Screenshots as short rows of numbers, for pages that list thousands of screenshots.

A row refers to tables next to it (stories, people, messages), so that no text comes twice.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count, starmap
from typing import Any, Final, NamedTuple

from django.db.models import F, Q, QuerySet

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.change_kinds import CHANGE_KINDS
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import groups_of
from visual_review.builds.read_models import values_with_related
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    CHANGED,
    DIFF_STATE_RANK,
    GROUPED_STATES,
    NOT_FROM_BRANCH,
    REJECTED,
    REMOVED,
    UNCHANGED,
)
from visual_review.variants import DEVICES, THEMES
from visual_review.web.deciders import name_decider

NONE: Final = -1
DECISIONS: Final = {"": 0, APPROVED: 1, REJECTED: 2}
INHERITED: Final = 1
ONLY_IN_REGIONS: Final = 2
FORMER_BASELINE: Final = 4
UNSTABLE: Final = 8
CARRIED: Final = 16
COMMENT: Final = 32
NOTES: Final = 64
_KINDS: Final[Mapping[str, int]] = {kind: index for index, kind in enumerate(CHANGE_KINDS)} | {
    "": NONE
}
_THEMES: Final[Mapping[str, int]] = {name: index for index, name in enumerate(THEMES)}
_DEVICES: Final[Mapping[str, int]] = {name: index for index, name in enumerate(DEVICES)}


# A screenshot alone needs no group, and a build may have thousands of lone screenshots.
_LISTED: Final = Q(screenshot_count__gt=1) | ~Q(remainders=[]) | Q(key=NOT_FROM_BRANCH)


class _GroupPlace(NamedTuple):
    """``number`` is the place in the list of groups, if the group is listed."""

    position: int
    number: int


NOWHERE: Final = _GroupPlace(sys.maxsize, NONE)


class _Row(NamedTuple):
    """The columns of a row: its own, four annotations, and those of related rows."""

    id: str
    story_id: str
    title: str
    theme: str
    device: str
    diff_state: str
    review_decision: str
    decision_source: str
    decided_by_name: str
    decided_client: str
    diff_ratio: float
    group_id: str | None
    inherited: bool
    only_in_regions: bool
    matches_former_baseline: bool
    message: str
    has_comment: bool
    is_unstable: bool
    has_notes: bool
    is_not_from_branch: bool
    image__width: int | None
    image__height: int | None
    baseline_image__width: int | None
    baseline_image__height: int | None
    comparison__kind: str | None
    comparison__severity: float | None


class _Table:
    """Distinct values in the order of their first use."""

    def __init__(self) -> None:
        self._indexes: dict[Any, int] = {}

    def index(self, value: Any) -> int:  # noqa: ANN401 - Whatever the table lists.
        return self._indexes.setdefault(value, len(self._indexes))

    @property
    def values(self) -> list[Any]:
        return list(self._indexes)


def encode_rows(build: Build, screenshot_ids: Iterable[str | None]) -> dict[str, Any]:
    """Return the rows of these screenshots of the build, with the tables used by the rows."""
    rows = _visible(build).filter(pk__in=screenshot_ids)
    return _encode(rows, _places_of_groups(build))


def encode_differences(build: Build) -> dict[str, Any]:
    """Return the rows of all screenshots of the build but the unchanged ones.

    ``unchangedVariants`` has a number for each story, with a bit for each omitted variant.
    """
    differing = _visible(build).exclude(diff_state=UNCHANGED)
    encoded = _encode(differing, _places_of_groups(build))
    variants = dict.fromkeys((story for story, _ in encoded["stories"]), 0)
    unchanged = _visible(build).filter(
        diff_state=UNCHANGED, story_id__in=differing.values("story_id")
    )
    for story, theme, device in unchanged.values_list("story_id", "theme", "device"):
        variants[story] |= 1 << (_THEMES[theme] * len(_DEVICES) + _DEVICES[device])
    return {**encoded, "unchangedVariants": list(variants.values())}


def encode_unchanged(build: Build) -> dict[str, Any]:
    """Return the rows of the build's unchanged and inherited screenshots."""
    return _encode(_visible(build).filter(diff_state=UNCHANGED), {}, values_with_related)


def encode_groups(build: Build) -> list[dict[str, Any]]:
    """Return the groups used by rows; a row refers to a place in the list."""
    rows = (
        groups_of(build)
        .filter(_LISTED)
        .values(
            *("id", "key", "name", "kind", "revision", "remainders", "position"),
            count=F("screenshot_count"),
        )
    )
    return [
        {
            **row,
            "name": show_bidi_controls(row["name"]),
            "isAlike": row.pop("key") not in {*GROUPED_STATES, NOT_FROM_BRANCH},
        }
        for row in rows
    ]


def _visible(build: Build) -> QuerySet[Screenshot]:
    return Screenshot.objects.filter(build=build, detection_only=False)


def _places_of_groups(build: Build) -> dict[str, _GroupPlace]:
    rows = groups_of(build).annotate(is_listed=_LISTED)
    numbers = count()
    return {
        pk: _GroupPlace(position, next(numbers) if is_listed else NONE)
        for pk, position, is_listed in rows.values_list("pk", "position", "is_listed")
    }


def _join(rows: QuerySet[Screenshot], names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Yield the columns by one statement, which takes more reads of a row than by lists of ids."""
    return rows.values_list(*names)


def _encode(
    found: QuerySet[Screenshot],
    groups: Mapping[str, _GroupPlace],
    read: Callable[[QuerySet[Screenshot], Sequence[str]], Iterable[tuple[Any, ...]]] = _join,
) -> dict[str, Any]:
    flagged = found.annotate(
        has_comment=~Q(comment=""),
        is_unstable=~Q(unstable=""),
        has_notes=~Q(notes=[]),
        is_not_from_branch=~Q(not_from_branch=""),
    )
    rows = list(starmap(_Row, read(flagged, _Row._fields)))
    encoder = _Encoder(rows, groups)
    return {
        "stories": encoder.stories,
        "kinds": list(CHANGE_KINDS),
        "screenshots": encoder.encode(rows),
        "people": encoder.people.values,
        "messages": encoder.messages.values,
    }


class _Encoder:
    """Encodes rows, and collects the tables meanwhile."""

    def __init__(self, rows: Iterable[_Row], groups: Mapping[str, _GroupPlace]) -> None:
        titles: dict[str, str] = {}
        for row in rows:
            # Some variants of a story may have no title, such as removed ones.
            titles[row.story_id] = titles.get(row.story_id) or row.title
        self.stories = [
            [story, show_bidi_controls(title or story)] for story, title in titles.items()
        ]
        self.people = _Table()
        self.messages = _Table()
        self._story_numbers = {story: number for number, story in enumerate(titles)}
        # Rows are compared by story many times, and comparing numbers is faster than comparing
        # names.
        self._story_order = {
            story: number * len(_THEMES) * len(_DEVICES)
            for number, story in enumerate(sorted(titles))
        }
        self._groups = groups

    def encode(self, rows: list[_Row]) -> list[list[object]]:
        return [self._encode(row) for row in sorted(rows, key=self._rank)]

    def _rank(self, row: _Row) -> tuple[object, ...]:
        group = row.group_id
        return (
            row.is_not_from_branch,
            DIFF_STATE_RANK[row.diff_state],
            # Most builds have more screenshots without a group than others.
            NOWHERE.position if group is None else self._place(group).position,
            -(row.comparison__severity or 0),
            self._story_order[row.story_id]
            + _THEMES[row.theme] * len(_DEVICES)
            + _DEVICES[row.device],
        )

    def _place(self, group_id: str) -> _GroupPlace:
        return self._groups.get(group_id, NOWHERE)

    def _encode(self, row: _Row) -> list[object]:
        state, severity, group = row.diff_state, row.comparison__severity, row.group_id
        is_changed = state == CHANGED
        if state == REMOVED:
            width, height = row.baseline_image__width, row.baseline_image__height
        else:
            width, height = row.image__width, row.image__height
        return [
            row.id,
            self._story_numbers[row.story_id],
            _THEMES[row.theme],
            _DEVICES[row.device],
            DIFF_STATE_RANK[state],
            DECISIONS[row.review_decision],
            NONE if group is None else self._place(group).number,
            _KINDS[row.comparison__kind or ""] if is_changed else NONE,
            round(severity, 4) if is_changed and severity else 0,
            round(row.diff_ratio, 8) if row.diff_ratio else 0,
            width or 0,
            height or 0,
            _flags(row),
            self.people.index(_decider(row)) if row.review_decision else NONE,
            self.messages.index(show_bidi_controls(row.message)) if row.message else NONE,
        ]


def _decider(row: _Row) -> str:
    return name_decider(row.decided_by_name, row.decision_source, row.decided_client)


def _flags(row: _Row) -> int:
    flags = INHERITED if row.inherited else 0
    if row.only_in_regions:
        flags |= ONLY_IN_REGIONS
    if row.matches_former_baseline:
        flags |= FORMER_BASELINE
    if row.is_unstable:
        flags |= UNSTABLE
    if row.decision_source == CARRIED_OVER:
        flags |= CARRIED
    if row.has_comment:
        flags |= COMMENT
    if row.has_notes:
        flags |= NOTES
    return flags
