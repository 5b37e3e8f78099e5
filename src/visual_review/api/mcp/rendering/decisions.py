"""The text of decision actions: what the decision did, and what is left to decide."""

from collections.abc import Iterator

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_results import DecidedResult
from visual_review.api.mcp.rendering.review_progress import ReviewProgress, describe_progress
from visual_review.builds.counts import count_by_state_and_decision
from visual_review.builds.queries import build_of
from visual_review.builds.states import APPROVED
from visual_review.builds.urls import build_page
from visual_review.kernel.errors import NotFoundError


def render_decision(result: DecidedResult, caller: Caller) -> str:
    return "\n".join([*_summarize(result), *_describe_rest(result, caller)])


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


def _describe_rest(result: DecidedResult, caller: Caller) -> Iterator[str]:
    """Read the build after the decision was stored, so that decisions of others count, too."""
    try:
        build = build_of(caller.organization_id, result.build_id)
    except NotFoundError:
        # Its repository was removed at the same time; the decision was still made.
        return
    if result.review_state != APPROVED:
        yield from describe_progress(
            build.status, build.review_state, ReviewProgress.of(count_by_state_and_decision(build))
        )
    yield f"Page: {build_page(build)}"
