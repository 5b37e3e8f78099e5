"""Which changes of a build a call is about: by number, id, group or story."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

from django.db.models import Q, QuerySet
from pydantic import Field

from visual_review.actions.schema import ActionInput
from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.states import TO_REVIEW
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.repositories.names import NAME_LENGTH

MOST_NAMES: Final = 1000
SHOWN_NAMES: Final = 5
SHOWN_LENGTH: Final = 60
_NUMBER: Final = re.compile(r"#?([0-9]{1,9})")
_GROUP_NUMBER: Final = re.compile(r"[Gg]([0-9]{1,9})")
_SCREENSHOT_ID: Final = re.compile(r"shot_[0-9a-z]{1,40}")
_GROUP_ID: Final = re.compile(r"group_[0-9a-z]{1,40}")
# The longest id or number has this length; anything longer is neither.
Name = Annotated[str, Field(max_length=NAME_LENGTH)]


class ChangeSelection(ActionInput):
    """Screenshots that differ from their baseline, or failed."""

    screenshots: list[Name] = Field(
        default_factory=list,
        max_length=MOST_NAMES,
        description="Numbers such as '#12', from list_changes, or ids.",
        examples=[["#12"]],
    )
    groups: list[Name] = Field(
        default_factory=list,
        max_length=MOST_NAMES,
        description="All changes of groups: numbers such as 'G3', from list_changes, or ids.",
        examples=[["G3"]],
    )
    stories: list[Name] = Field(
        default_factory=list,
        max_length=MOST_NAMES,
        description="All changes of stories: their ids.",
        examples=[["components-button--primary"]],
    )

    @property
    def is_empty(self) -> bool:
        return not (self.screenshots or self.groups or self.stories)


def select_changes(
    build: Build, selection: ChangeSelection, *, first: int = 0, most: int | None = None
) -> list[Screenshot]:
    """Return the selected screenshots from number ``first`` on, in the order of numbers.

    At most ``most`` screenshots, with images, comparison and group loaded. An empty selection means
    all that differ or failed. Raises NotFoundError for names missing in the build, and
    InvalidInputError for names without a meaning.
    """
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    wanted = _condition(build, rows, selection) if not selection.is_empty else _to_review()
    found = rows.filter(wanted, number__gte=first).order_by("number")
    return list(found.select_related("image", "baseline_image", "comparison", "group")[:most])


def _to_review() -> Q:
    return Q(number__isnull=False, diff_state__in=TO_REVIEW)


def _condition(build: Build, rows: QuerySet[Screenshot], selection: ChangeSelection) -> Q:
    wanted = Q(pk__in=_find_screenshots(rows, selection.screenshots))
    if selection.groups:
        wanted |= Q(group__in=_find_groups(build, selection.groups)) & _to_review()
    if selection.stories:
        _require_stories(rows, selection.stories)
        wanted |= Q(story_id__in=selection.stories) & _to_review()
    return wanted


def _find_screenshots(rows: QuerySet[Screenshot], names: Sequence[str]) -> list[str]:
    """Return the ids of the named screenshots."""
    if not names:
        return []
    numbers, ids = _split(names, _NUMBER, _SCREENSHOT_ID, "screenshots", "'#12'")
    numbered = rows.filter(number__isnull=False)
    found = numbered.filter(Q(number__in=numbers.values()) | Q(pk__in=ids))
    known = {(row.pk, row.number) for row in found.only("pk", "number")}
    by_number = {number for _, number in known}
    by_id = {pk for pk, _ in known}
    missing = [name for name, number in numbers.items() if number not in by_number]
    missing += [name for name in ids if name not in by_id]
    if missing:
        raise NotFoundError(
            f"This build has no change {_join(missing)}. list_changes has the numbers and ids."
        )
    return list(by_id)


def _find_groups(build: Build, names: Sequence[str]) -> list[str]:
    numbers, ids = _split(names, _GROUP_NUMBER, _GROUP_ID, "groups", "'G3'")
    groups = ChangeGroup.objects.filter(build=build)
    found = dict(
        groups.filter(Q(number__in=numbers.values()) | Q(pk__in=ids)).values_list("pk", "number")
    )
    missing = [name for name, number in numbers.items() if number not in found.values()]
    missing += [name for name in ids if name not in found]
    if missing:
        raise NotFoundError(
            f"This build has no group {_join(missing)}. Groups end when a build is compared again: "
            "list_changes has those of now."
        )
    return list(found)


def _require_stories(rows: QuerySet[Screenshot], names: Sequence[str]) -> None:
    known = set(rows.filter(_to_review(), story_id__in=names).values_list("story_id", flat=True))
    missing = [name for name in names if name not in known]
    if missing:
        raise NotFoundError(
            f"This build has no change of the story {_join(missing)}. Pass story ids as "
            "list_changes has them."
        )


def _split(
    names: Sequence[str], number: re.Pattern[str], identifier: re.Pattern[str], key: str, like: str
) -> tuple[dict[str, int], list[str]]:
    """Return numeric names with their numbers, and the names that are ids."""
    numbers = {name: int(found[1]) for name in names if (found := number.fullmatch(name))}
    ids = [name for name in names if identifier.fullmatch(name)]
    wrong = [name for name in names if name not in numbers and name not in ids]
    if wrong:
        problem = f"{_join(wrong)} is neither a number such as {like} nor an id from list_changes."
        raise InvalidInputError(
            f"The input is not valid: /{key}: {problem}", [(f"/{key}", problem)]
        )
    return numbers, ids


def _join(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:SHOWN_LENGTH]) for name in names[:SHOWN_NAMES])
    more = len(names) - SHOWN_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown
