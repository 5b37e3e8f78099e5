"""The result of several decisions, and the errors of single ones in words."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import Field

from visual_review.actions.decision_results import (
    ROLLBACK,
    STILL_BASELINE,
    BuildAfterDecisions,
)
from visual_review.actions.extended.decision_input import SEEN_EXAMPLE, format_seen
from visual_review.actions.schema import ActionResult
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.review_obstacles import (
    count_open,
    count_open_removals,
    describe_obstacles,
)
from visual_review.builds.reviewing.approval import FinalizeNeededError
from visual_review.builds.reviewing.combined import DecisionError, DecisionOutcome
from visual_review.builds.reviewing.plan import OverrideNeededError
from visual_review.builds.reviewing.requests import BatchDecision
from visual_review.builds.reviewing.results import DecisionResult
from visual_review.builds.states import APPROVED
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError

DecisionResultState = Literal["decided", "repeated", "conflict"]
# Of a conflict; the rest is counted.
NUMBERS_SHOWN: Final = 20
UNSEEN_LISTED: Final = 200


class OneDecisionResult(ActionResult):
    """What became of one decision of the request."""

    position: int = Field(description="Its place in the request, from 1.", examples=[1])
    state: BatchDecision = Field(description="The decision.", examples=["rejected"])
    outcome: DecisionResultState = Field(
        description="`decided`; `repeated` if the same request was carried out before; or "
        "`conflict` if it was not carried out, for the reason in `error`.",
        examples=["decided"],
    )
    decided_screenshots: int = Field(
        description="Number of screenshots with a new decision; screenshots that had the same "
        "decision before do not count.",
        examples=[1],
    )
    error: str | None = Field(
        description="Why the decision was not carried out, and what to do; null if carried out.",
        examples=[None],
    )


class Result(BuildAfterDecisions):
    """What the request did, and what is left to decide."""

    decided_screenshots: int = Field(
        description="How many screenshots the request changed.", examples=[1]
    )
    decisions: list[OneDecisionResult] = Field(
        description="What became of each decision, in the order of the request."
    )
    unseen_screenshots: list[int] = Field(
        description="Numbers of screenshots, at most 200, approved by the request without an "
        "image fetched by the same key or connection. The build's page marks the "
        "screenshots.",
        examples=[[12]],
    )
    warnings: list[str] = Field(
        description="Notes for the caller: a baseline that went back, and the reason why the "
        "build stays unreviewed although no changed or new screenshot is undecided.",
        examples=[[]],
    )
    seen: str = Field(
        description="The build's cursor after the request: `seen` of the next one.",
        examples=[SEEN_EXAMPLE],
    )


def review_result(
    build: Build,
    states: Sequence[BatchDecision],
    outcomes: Sequence[DecisionOutcome],
    pairs: Mapping[tuple[str, str], int],
) -> Result:
    """Return the result of a request; ``pairs`` are the build's states and decisions now."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    final = next((result.effect for result in results if result.effect.finalized), None)
    return Result.model_validate(
        {
            "build_id": build.pk,
            "review_state": build.review_state,
            "finalized": final is not None,
            "baseline_move": final.version if final else None,
            "accepted_removals": final.accepted_removals if final else 0,
            "decided_screenshots": sum(result.effect.decided for result in results),
            "decisions": [_one(build, states[each.position], each) for each in outcomes],
            "open_screenshots": count_open(pairs),
            "removals_open": count_open_removals(pairs),
            "failed_screenshots": build.failed_count,
            "unseen_screenshots": _find_unseen(build, results),
            "warnings": _warnings(build, results, pairs),
            "seen": format_seen(build.pk),
        }
    )


def explain_error(build: Build, error: DecisionError) -> str:
    """Return why a decision was not carried out, for programs; without texts of others."""
    if isinstance(error, FinalizeNeededError):
        return (
            f"It would approve the build, as version {error.preview.version} of its branch's "
            'baseline. If that is meant, send the same request with "finalize" in confirmed.'
        )
    if isinstance(error, OverrideNeededError):
        return (
            f"It would replace decisions on {_numbers(build, error)}, made by others or not seen. "
            "Look at them with list_changes; if that is meant, send the same request with "
            '"override" in confirmed.'
        )
    return str(error)


def combined_error(explained: Sequence[tuple[int, DecisionError, str]]) -> DecisionError:
    """Return the error of a request without any effect, with every reason."""
    texts = [(f"/decisions/{position}", text) for position, _, text in explained]
    lines = [f"decision {position + 1}: {text}" for position, _, text in explained]
    message = f"Nothing was decided. {lines[0][:1].upper()}{' '.join(lines)[1:]}"
    error = explained[0][1]
    if isinstance(error, InvalidInputError):
        return InvalidInputError(message, texts)
    if isinstance(error, NotFoundError):
        return NotFoundError(message, texts)
    return ConflictError(message)


def _one(build: Build, state: BatchDecision, outcome: DecisionOutcome) -> OneDecisionResult:
    result, error = outcome.result, outcome.error
    done = "repeated" if result and result.is_repeated else "decided"
    return OneDecisionResult.model_validate(
        {
            "position": outcome.position + 1,
            "state": state,
            "outcome": "conflict" if error else done,
            "decided_screenshots": result.effect.decided if result else 0,
            "error": explain_error(build, error) if error else None,
        }
    )


def _numbers(build: Build, error: OverrideNeededError) -> str:
    ids = [shot.id for shot in error.conflicts]
    rows = Screenshot.objects.filter(build=build, pk__in=ids).order_by("number")
    known = list(rows.values_list("number", "pk")[:NUMBERS_SHOWN])
    shown = ", ".join(pk if number is None else f"#{number}" for number, pk in known)
    more = len(ids) - len(known)
    return f"{shown} and {more:,} more" if more > 0 else shown


def _find_unseen(build: Build, results: Sequence[DecisionResult]) -> list[int]:
    """Return the screenshots approved without any of their images fetched."""
    batches = [each.batch for each in results if each.batch and each.batch.first_entry is not None]
    if not batches:
        return []
    entries = ReviewEntry.objects.filter(
        build=build,
        pk__gte=min(batch.first_entry or 0 for batch in batches),
        pk__lte=max(batch.last_entry or 0 for batch in batches),
        decided_by_id=batches[0].decided_by_id,
        decision=APPROVED,
        evidence__images=[],
        screenshot__number__isnull=False,
    )
    numbers = entries.order_by("screenshot__number").values_list("screenshot__number", flat=True)
    return [number for number in numbers[:UNSEEN_LISTED] if number is not None]


def _warnings(
    build: Build, results: Sequence[DecisionResult], pairs: Mapping[tuple[str, str], int]
) -> list[str]:
    found = []
    if any(result.effect.rolled_back for result in results):
        found.append(ROLLBACK)
    if build.review_state != APPROVED and any(each.effect.still_baseline for each in results):
        found.append(STILL_BASELINE)
    return [*found, *describe_obstacles(build.review_state, pairs)]
