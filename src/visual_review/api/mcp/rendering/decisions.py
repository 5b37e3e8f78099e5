"""The text of decision actions: the effect of the decision, and the changes still undecided."""

from collections.abc import Iterator
from functools import partial

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_results import DecidedResult, DecidedScreenshot
from visual_review.api.mcp.quoting import PERSON, quote_text
from visual_review.api.mcp.rendering.review_progress import ReviewProgress, describe_progress
from visual_review.builds.reviewing.plan import describe_overridden
from visual_review.builds.states import APPROVED, COMPLETED, UNREVIEWED
from visual_review.builds.urls import build_url


def render_decision(result: DecidedResult, _caller: Caller) -> str:
    return "\n".join([*_summarize(result), *_describe_rest(result)])


def _summarize(result: DecidedResult) -> Iterator[str]:
    count = result.decided_screenshots
    decided = "1 screenshot was" if count == 1 else f"{count:,} screenshots were"
    yield f"{decided} decided. {_state(result)}"
    if result.screenshot is not None:
        yield _screenshot(result.screenshot)
    if result.accepted_removals:
        removals = result.accepted_removals
        yield (
            f"{removals:,} removed {'screenshot' if removals == 1 else 'screenshots'} left the "
            "baseline."
        )
    for warning in result.warnings:
        yield f"Warning: {_quote_names(warning, result)}"


def _screenshot(shot: DecidedScreenshot) -> str:
    comment = f" with the comment {quote_text(shot.comment)}" if shot.comment else ""
    return f"Screenshot {shot.id} is {shot.decision}{comment}."


def _quote_names(warning: str, result: DecidedResult) -> str:
    """Return the warning with its names quoted, as texts of others."""
    if warning != describe_overridden(result.overridden):
        return warning
    return describe_overridden(result.overridden, partial(quote_text, limit=PERSON))


def _state(result: DecidedResult) -> str:
    build = f"Build {result.build_id} is {result.review_state.replace('_', ' ')}"
    if not result.finalized:
        return f"{build}; no baseline changed."
    if result.baseline_move is None:
        return f"{build}, as it was before, and no baseline changed."
    return f"{build} and is now version {result.baseline_move} of its branch's baseline."


def _describe_rest(result: DecidedResult) -> Iterator[str]:
    # A warning covers the rest if nothing changed or new is undecided.
    is_stuck = result.review_state == UNREVIEWED and not result.open_screenshots
    if result.review_state != APPROVED and not is_stuck:
        progress = ReviewProgress.of(result.pairs)
        yield from describe_progress(COMPLETED, result.review_state, progress)
    yield f"Page: {build_url(result.build_id)}"
