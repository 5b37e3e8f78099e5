"""The targets of each decision of a request: the screenshots behind its numbers and names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from visual_review.actions.extended.decision_input import ChangeDecision, digest_of
from visual_review.actions.extended.selection import ChangeSelection, select_changes
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.reviewing.combined import (
    CombinedDecision,
    DecisionOutcome,
    derive_request_id,
)
from visual_review.builds.reviewing.requests import (
    Confirmation,
    DecisionRequest,
    Selection,
)
from visual_review.builds.reviewing.selection import NOTHING_IN_STORY
from visual_review.builds.states import BLOCKING
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError

OVERLAPS_SHOWN: Final = 10


@dataclass(frozen=True)
class RequestFacts:
    """The facts common to all decisions of a request; ``seen`` is an entry of the review log."""

    request_id: str
    seen: int
    confirmed: frozenset[Confirmation]


@dataclass
class DecisionPlan:
    """The decisions to carry out, and decisions on screenshots that cannot be found."""

    decisions: list[CombinedDecision] = field(default_factory=list)
    failed: list[DecisionOutcome] = field(default_factory=list)


def plan_decisions(
    build: Build,
    wanted: Sequence[ChangeDecision],
    facts: RequestFacts,
    skipped: Collection[int],
) -> DecisionPlan:
    """Find the screenshots of each decision, except at ``skipped`` positions.

    Raises InvalidInputError if two decisions are on the same screenshot.
    """
    plan, digest = DecisionPlan(), digest_of(list(wanted))
    numbers: dict[str, int | None] = {}
    for position, decision in enumerate(wanted):
        if position in skipped:
            continue
        try:
            selection = _resolve(build, decision, numbers)
        except (ConflictError, InvalidInputError, NotFoundError) as error:
            plan.failed.append(DecisionOutcome(position, error=error))
            continue
        request = DecisionRequest(
            request_id=derive_request_id(facts.request_id, position),
            decision=decision.state,
            selection=selection,
            comment=decision.comment,
            seen=facts.seen,
            confirmed=facts.confirmed,
            part_of=digest,
        )
        plan.decisions.append(CombinedDecision(position, request))
    _require_disjoint(plan.decisions, numbers)
    return plan


def _resolve(build: Build, decision: ChangeDecision, numbers: dict[str, int | None]) -> Selection:
    """Return the ids of the decision's screenshots; adds the screenshots to ``numbers``."""
    named = _select(build, screenshots=decision.screenshots)
    stories = _select(build, stories=decision.stories)
    members = _select(build, groups=decision.groups)
    # The removed ones of a story have a group of their own.
    members += [shot for shot in stories if shot.diff_state in BLOCKING]
    if decision.stories and not (named or members):
        raise ConflictError(NOTHING_IN_STORY)
    numbers.update((shot.pk, shot.number) for shot in (*named, *members))
    ids = [shot.pk for shot in named]
    # A screenshot named by itself was chosen by itself, even as a member of a named group or story.
    rest = dict.fromkeys(shot.pk for shot in members if shot.pk not in set(ids))
    return Selection(screenshots=tuple(ids), members=tuple(rest))


def _select(build: Build, **names: list[str]) -> list[Screenshot]:
    # An empty selection would be the whole build.
    return (
        select_changes(build, ChangeSelection.model_validate(names)) if any(names.values()) else []
    )


def _require_disjoint(
    decisions: Sequence[CombinedDecision], numbers: Mapping[str, int | None]
) -> None:
    seen: dict[str, int] = {}
    problems: dict[int, list[str]] = {}
    for position, request in decisions:
        for pk in (*request.selection.screenshots, *request.selection.members):
            first = seen.setdefault(pk, position)
            if first != position:
                name = pk if numbers[pk] is None else f"#{numbers[pk]}"
                problems.setdefault(position, []).append(f"{name} (decision {first + 1})")
    if problems:
        raise InvalidInputError(*_describe_overlaps(problems))


def _describe_overlaps(found: Mapping[int, list[str]]) -> tuple[str, list[tuple[str, str]]]:
    lines = []
    for position, names in found.items():
        more = len(names) - OVERLAPS_SHOWN
        shown = ", ".join(names[:OVERLAPS_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
        lines.append((f"/decisions/{position}", f"is also on {shown}"))
    first, text = lines[0]
    message = (
        f"Nothing was decided: {first} {text}. Each screenshot may be in one decision of a request."
    )
    return message, lines
