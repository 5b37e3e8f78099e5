"""The text of review_changes: the outcome of each decision, and the changes still undecided."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.actions.extended.review_results import OneDecisionResult, Result
from visual_review.api.mcp.rendering.truncation import limit_lines
from visual_review.builds.urls import build_url

# Of the decisions not carried out; the reasons alone may be long.
CONFLICT_TOKENS: Final = 7000
NUMBERS_SHOWN: Final = 60


def render_reviewed_changes(result: Result, _caller: Caller) -> str:
    return "\n".join(_lines(result))


def _lines(result: Result) -> Iterator[str]:
    yield f"{_screenshots(result.decided_screenshots)} decided. {_state(result)}"
    done = [each for each in result.decisions if each.error is None]
    for (outcome, state), each in groupby(
        sorted(done, key=_kind), lambda one: (one.outcome, one.state)
    ):
        yield _describe_done(outcome, state, list(each))
    failed = [each for each in result.decisions if each.error is not None]
    yield from limit_lines(failed, _describe_failed, CONFLICT_TOKENS, "decisions")
    if result.unseen_screenshots:
        yield (
            f"Approved without a look at what changed, and marked so for people: "
            f"{_list(result.unseen_screenshots)}."
        )
    yield from (f"Warning: {warning}" for warning in result.warnings)
    yield _describe_open(result)
    yield f"seen: {result.seen}. Page: {build_url(result.build_id)}"


def _kind(one: OneDecisionResult) -> tuple[str, str]:
    return one.outcome, one.state


def _describe_done(outcome: str, state: str, ones: Sequence[OneDecisionResult]) -> str:
    count = _screenshots(sum(one.decided_screenshots for one in ones))
    before = " by the same request before" if outcome == "repeated" else ""
    numbers = ", ".join(str(one.position) for one in ones)
    return f"{count} {state}{before} ({_decisions(ones)} {numbers})."


def _describe_failed(one: OneDecisionResult) -> str:
    return f"Decision {one.position} ({one.state}) was not carried out: {one.error}"


def _describe_open(result: Result) -> str:
    rest = ""
    if result.removals_open:
        rest += f" Undecided removals ({result.removals_open:,}) are accepted with the build."
    if result.failed_screenshots:
        rest += f" {_screenshots(result.failed_screenshots)} failed and cannot be decided."
    if not result.open_screenshots:
        return f"No changed or new screenshot is undecided.{rest}"
    return (
        f"{_screenshots(result.open_screenshots)} still undecided; list_changes with decision "
        f'"undecided" lists them.{rest}'
    )


def _state(result: Result) -> str:
    build = f"Build {result.build_id} is {result.review_state.replace('_', ' ')}"
    if not result.finalized:
        return f"{build}; no baseline changed."
    removals = f", without {result.accepted_removals:,} removed" if result.accepted_removals else ""
    return f"{build}, as version {result.baseline_move} of its branch's baseline{removals}."


def _list(numbers: Sequence[int]) -> str:
    more = len(numbers) - NUMBERS_SHOWN
    shown = " ".join(f"#{number}" for number in numbers[:NUMBERS_SHOWN])
    return f"{shown} and {more:,} more" if more > 0 else shown


def _screenshots(count: int) -> str:
    return f"{count:,} {'screenshot' if count == 1 else 'screenshots'}"


def _decisions(ones: Sequence[OneDecisionResult]) -> str:
    return "decision" if len(ones) == 1 else "decisions"
