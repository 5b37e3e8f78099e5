"""The text of decision actions: what the decision did, and what is left to decide."""

from collections.abc import Iterator

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_results import DecidedResult
from visual_review.api.mcp.rendering.review_progress import ReviewProgress, describe_progress
from visual_review.builds.states import APPROVED, COMPLETED
from visual_review.builds.urls import build_url


def render_decision(result: DecidedResult, _caller: Caller) -> str:
    return "\n".join([*_summarize(result), *_describe_rest(result)])


def _summarize(result: DecidedResult) -> Iterator[str]:
    count = result.decided_screenshots
    decided = "1 screenshot was" if count == 1 else f"{count:,} screenshots were"
    yield f"{decided} decided. {_state(result)}"
    if result.accepted_removals:
        removals = result.accepted_removals
        yield (
            f"{removals:,} removed {'screenshot' if removals == 1 else 'screenshots'} left the "
            "baseline."
        )
    for warning in result.warnings:
        yield f"Warning: {warning}"


def _state(result: DecidedResult) -> str:
    build = f"Build {result.build_id} is {result.review_state.replace('_', ' ')}"
    if not result.finalized:
        return f"{build}; no baseline changed."
    if result.baseline_move is None:
        return f"{build}, as it was before, and no baseline changed."
    return f"{build} and is now version {result.baseline_move} of its branch's baseline."


def _describe_rest(result: DecidedResult) -> Iterator[str]:
    if result.review_state != APPROVED:
        progress = ReviewProgress.of(result.pairs)
        yield from describe_progress(COMPLETED, result.review_state, progress)
    yield f"Page: {build_url(result.build_id)}"
