"""The text of the deciding actions: what the decision did, and what is left to decide."""

from collections.abc import Iterator

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_results import DecidedResult
from visual_review.api.mcp.rendering.review_progress import Standing, progress
from visual_review.builds.counts import marks_of
from visual_review.builds.queries import build_of
from visual_review.builds.states import APPROVED
from visual_review.builds.urls import build_page
from visual_review.kernel.errors import NotFoundError


def text_of_decision(result: DecidedResult, caller: Caller) -> str:
    return "\n".join([*_told(result), *_left(result, caller)])


def _told(result: DecidedResult) -> Iterator[str]:
    count = result.decided_screenshots
    decided = "1 screenshot was" if count == 1 else f"{count:,} screenshots were"
    yield f"{decided} decided. {_state(result)}"
    if result.accepted_removals:
        removals = result.accepted_removals
        yield (
            f"{removals:,} removed {'screenshot' if removals == 1 else 'screenshots'} left the "
            "baseline with it."
        )
    for warning in result.warnings:
        yield f"Warning: {warning}"


def _state(result: DecidedResult) -> str:
    build = f"Build {result.build_id} is {result.review_state.replace('_', ' ')}"
    if not result.finalized:
        return f"{build}; no baseline moved."
    if result.baseline_move is None:
        return f"{build}, as it was before, and no baseline moved."
    return f"{build}, and with move {result.baseline_move} the baseline of its branch."


def _left(result: DecidedResult, caller: Caller) -> Iterator[str]:
    """Read after the decision was stored, so it counts what others decided meanwhile, too."""
    try:
        build = build_of(caller.organization_id, result.build_id)
    except NotFoundError:
        # Its repository was removed in this very moment; the decision was made all the same.
        return
    if result.review_state != APPROVED:
        yield from progress(build.status, build.review_state, Standing.of(marks_of(build)))
    yield f"Page: {build_page(build)}"
