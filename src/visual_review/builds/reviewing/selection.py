"""Read the screenshots of a request, under the build's lock."""

from collections.abc import Iterable, Sequence

from django.db.models import Q

from visual_review.builds.models import Build, ChangeGroup, ReviewEntry, Screenshot
from visual_review.builds.reviewing.plan import SelectedShot
from visual_review.builds.reviewing.requests import DecisionRequest, Selection
from visual_review.builds.states import (
    BLOCKING,
    CLEARED,
    DIFFERENCES,
    UNCHANGED,
    require_reviewable,
)
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError

GROUP_CHANGED = (
    "This group has changed since it was shown: its build was compared again. "
    "Reload the build and look at the group again."
)

NOTHING_IN_STORY = (
    "This story has no changed or new screenshots in this build, so there is nothing to decide. "
    "Removed screenshots are decided by their names, or by their group."
)


def select_shots(build: Build, request: DecisionRequest) -> list[SelectedShot]:
    """Return the screenshots of the request; raises NotFoundError and ConflictError."""
    selection = request.selection
    wanted = _condition(selection, clears=request.decision == CLEARED)
    if not wanted:
        raise InvalidInputError(
            "Nothing is selected. Name screenshots, stories or groups, or the build.",
            [("/screenshots", "Name at least one screenshot, story or group, or the build.")],
        )
    if selection.groups:
        _require_shown_groups(build, selection)
    rows = Screenshot.objects.filter(wanted, build=build)
    shots = [SelectedShot(*row) for row in rows.values_list(*SelectedShot._fields)]
    _require_names(shots, selection)
    _require_stories(shots, build, selection)
    named = set(selection.screenshots)
    return [shot for shot in shots if shot.id in named or not shot.detection_only]


def require_decidable_shots(shots: Sequence[SelectedShot], selection: Selection) -> None:
    """Raise ConflictError if a screenshot selected by itself cannot be decided."""
    if selection.stories and not shots:
        raise ConflictError(NOTHING_IN_STORY)
    named = set(selection.screenshots)
    for shot in shots:
        if shot.id in named:
            require_reviewable(shot.diff_state, detection_only=shot.detection_only)


def shots_decided_since(
    build: Build, request: DecisionRequest, caller_id: str, shots: Iterable[SelectedShot]
) -> set[str]:
    """Return the ids of screenshots decided by others after the state the reviewer had seen.

    Empty if no one else's decision stands on ``shots``, so that there is nothing to replace.
    """
    if not any(shot.review_decision and shot.decided_by_id != caller_id for shot in shots):
        return set()
    rows = ReviewEntry.objects.filter(build=build, pk__gt=request.seen)
    others = rows.exclude(decided_by_id=caller_id).exclude(screenshot=None)
    return set(others.values_list("screenshot_id", flat=True))


def _condition(selection: Selection, *, clears: bool) -> Q:
    wanted = Q()
    if selection.screenshots:
        wanted |= Q(pk__in=selection.screenshots)
    if selection.members:
        wanted |= Q(pk__in=selection.members, diff_state__in=DIFFERENCES)
    if selection.stories:
        wanted |= Q(story_id__in=selection.stories, diff_state__in=BLOCKING)
    if selection.groups:
        wanted |= Q(group__in=[group.id for group in selection.groups], diff_state__in=DIFFERENCES)
    if selection.whole_build:
        # A decision on an unchanged screenshot is cleared with the rest of the build.
        unchanged = (UNCHANGED,) if selection.unchanged or clears else ()
        wanted |= Q(diff_state__in=(*DIFFERENCES, *unchanged))
    return wanted


def _require_shown_groups(build: Build, selection: Selection) -> None:
    found = ChangeGroup.objects.filter(build=build, pk__in=[group.id for group in selection.groups])
    revisions = dict(found.values_list("pk", "revision"))
    if any(revisions.get(group.id) != group.revision for group in selection.groups):
        raise ConflictError(GROUP_CHANGED)


def _require_names(shots: list[SelectedShot], selection: Selection) -> None:
    named = set(selection.screenshots)
    if len(named.intersection(shot.id for shot in shots)) < len(named):
        raise NotFoundError("There is no screenshot with this id in the build. Reload the build.")


def _require_stories(shots: list[SelectedShot], build: Build, selection: Selection) -> None:
    missing = set(selection.stories) - {shot.story_id for shot in shots}
    known = Screenshot.objects.filter(build=build, story_id__in=missing, detection_only=False)
    if missing and known.values("story_id").distinct().count() < len(missing):
        raise NotFoundError("There is no story with this id in the build. Reload the build.")
