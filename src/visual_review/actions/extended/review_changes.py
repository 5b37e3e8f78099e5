"""review_changes: several decisions on a build's changes in one request."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import decider_of, decision_change, shot_target
from visual_review.actions.extended.decision_input import (
    MOST_DECISIONS,
    SEEN_EXAMPLE,
    ChangeDecision,
    CheckedDecision,
    digest_of,
    parse_seen,
)
from visual_review.actions.extended.review_results import (
    Result,
    combined_error,
    explain_error,
    review_result,
)
from visual_review.actions.extended.selection import ChangeSelection, select_changes
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput
from visual_review.audit.log import Change
from visual_review.builds.cursors import Cursor
from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import count_by_state_and_decision
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.combined import (
    BLOCKED,
    CombinedDecision,
    DecisionOutcome,
    decide_combined,
    derive_request_id,
    find_earlier,
)
from visual_review.builds.reviewing.requests import (
    BATCH_DECISIONS,
    Confirmation,
    DecisionRequest,
    Selection,
)
from visual_review.builds.reviewing.results import DecisionResult
from visual_review.builds.reviewing.selection import NOTHING_IN_STORY
from visual_review.builds.states import BLOCKING, require_decidable
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError

VERBS: Final = tuple(
    f"{subject}.{decision}"
    for subject in ("screenshot", "screenshots")
    for decision in BATCH_DECISIONS
)
# Ids and names of one decision in the audit log.
MOST_LOGGED: Final = 50
NEEDS_SEEN: Final = (
    "Groups and stories are decided as list_changes showed them: pass its 'seen', or name the "
    "screenshots."
)
COMPARED_AGAIN: Final = (
    "The build was compared again since list_changes returned this 'seen', and its changes may "
    "look different now. Call list_changes again, look at what changed, and decide then."
)
OVERLAPS_SHOWN: Final = 10


class Input(ActionInput):
    build_id: BuildId
    request_id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=64,
            description="New for each request, such as a UUID; the same when it is sent again. The "
            "same request twice has one effect.",
            examples=["5f0c2d9e-3b1a-4c58-9f27-8d6b1f0e7a11"],
        ),
    ]
    decisions: list[CheckedDecision] = Field(
        min_length=1,
        max_length=MOST_DECISIONS,
        description="The decisions; no screenshot may be in two of them.",
        examples=[
            [
                {"groups": ["G1"], "state": "approved"},
                {"screenshots": ["#12"], "state": "rejected", "comment": "The label is truncated."},
            ]
        ],
    )
    atomic: bool = Field(
        default=True,
        description="Whether nothing is decided if one decision cannot be carried out; otherwise "
        "the others are.",
        examples=[True],
    )
    seen: str = Field(
        default="",
        description="`seen` of the newest list_changes or review_changes of this build. "
        "Required for groups and stories, as their members may have changed. "
        "Without `seen`, every decision of others on the named screenshots has to "
        "be confirmed.",
        examples=[SEEN_EXAMPLE],
    )
    confirmed: list[Confirmation] = Field(
        default_factory=list,
        description="`finalize`: the request may approve the build, and so change the branch's "
        "baseline. `override`: the request may replace decisions of others, and "
        "rejections in groups.",
        examples=[["finalize"]],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    decider = decider_of(caller)
    _, build = lock_build_of(caller.organization_id, values.build_id)
    digest = digest_of(values.decisions)
    earlier = find_earlier(build, decider, values.request_id, digest)
    outcomes = [DecisionOutcome(position, result) for position, result in earlier.items()]
    if len(earlier) < len(values.decisions):
        outcomes += _decide(caller.organization_id, build, values, decider, set(earlier))
    outcomes.sort(key=lambda outcome: outcome.position)
    # The decisions have locked and changed the row anew.
    _, build = lock_build_of(caller.organization_id, values.build_id)
    states = [decision.state for decision in values.decisions]
    result = review_result(build, states, outcomes, count_by_state_and_decision(build))
    return Outcome(result, tuple(_changes(values.decisions, outcomes)))


def _decide(
    organization_id: str, build: Build, values: Input, decider: Decider, earlier: set[int]
) -> Sequence[DecisionOutcome]:
    """Carry out the decisions not carried out earlier by the same request."""
    require_decidable(build.status)
    seen = _require_same_comparison(build, values)
    facts = RequestFacts(values.request_id, seen.entry, frozenset(values.confirmed))
    plan = plan_decisions(build, values.decisions, facts, earlier)
    outcomes = [
        *plan.failed,
        *decide_combined(organization_id, build, plan.decisions, decider, failed=bool(plan.failed)),
    ]
    if values.atomic:
        _require_all(build, outcomes)
    return outcomes


def _require_same_comparison(build: Build, values: Input) -> Cursor:
    if not values.seen:
        if any(decision.groups or decision.stories for decision in values.decisions):
            raise InvalidInputError(
                f"The input is not valid: /seen: {NEEDS_SEEN}", [("/seen", NEEDS_SEEN)]
            )
        return Cursor()
    cursor = parse_seen(values.seen, build.pk)
    if cursor.revision != build.revision:
        raise ConflictError(COMPARED_AGAIN)
    return cursor


def _require_all(build: Build, outcomes: Sequence[DecisionOutcome]) -> None:
    """Raise the errors of the decisions, if any; all writes are then rolled back."""
    explained = [
        (outcome.position, outcome.error, explain_error(build, outcome.error))
        for outcome in sorted(outcomes, key=lambda outcome: outcome.position)
        if outcome.error is not None
    ]
    # Decisions only blocked by another decision need no explanation.
    reasons = [each for each in explained if each[2] != BLOCKED]
    if explained:
        raise combined_error(reasons or explained)


def _changes(
    decisions: Sequence[ChangeDecision], outcomes: Sequence[DecisionOutcome]
) -> Iterator[Change]:
    for outcome in outcomes:
        if outcome.result is not None:
            yield from _changes_of(decisions[outcome.position], outcome.result)


def _changes_of(decision: ChangeDecision, result: DecisionResult) -> tuple[Change, ...]:
    named = {
        "screenshotIds": [shot.id for shot in result.shots[:MOST_LOGGED]],
        "groups": decision.groups[:MOST_LOGGED],
        "storyIds": decision.stories[:MOST_LOGGED],
        "comment": decision.comment,
    }
    after: dict[str, Any] = {name: value for name, value in named.items() if value}
    if len(result.shots) != 1:
        return decision_change(f"screenshots.{decision.state}", result, after)
    (shot,) = result.shots
    return decision_change(f"screenshot.{decision.state}", result, after, shot_target(shot))


ACTION = Action(
    name="review_changes",
    title="Review changes",
    permission=BUILDS_REVIEW,
    description="Approves, rejects or clears many changes in one request, each decision with its "
    "own comment. What approves the build, or replaces decisions of others, must be confirmed.",
    input=Input,
    result=Result,
    run=run,
    verbs=VERBS,
    # The last approval changes the baseline, as approve_build does.
    hints=Hints(destructive=True),
    optional_in_example=("confirmed",),
)


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
