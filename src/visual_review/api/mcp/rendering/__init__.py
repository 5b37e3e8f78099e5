"""Results for models: brief texts, and structured content of limited length."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import to_json

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_results import DecidedResult
from visual_review.actions.extended import (
    comment,
    find_builds,
    get_decisions,
    get_history,
    get_images,
    list_changes,
    request_review,
    review_results,
)
from visual_review.actions.published import (
    connect_repo,
    delete_recording,
    disable_recordings,
    enable_recordings,
    get_build,
    get_recording,
    list_builds,
    list_host_repos,
    list_recordings,
    list_repos,
    remove_repo,
    rotate_repo_token,
    set_dynamic_regions,
    set_org_capture,
    set_repo_capture,
)
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp.rendering.build_lists import render_builds, render_found_builds
from visual_review.api.mcp.rendering.builds import render_build
from visual_review.api.mcp.rendering.change_lists import render_changes
from visual_review.api.mcp.rendering.decision_lists import render_decisions
from visual_review.api.mcp.rendering.decisions import render_decision
from visual_review.api.mcp.rendering.histories import render_history
from visual_review.api.mcp.rendering.images import image_blocks, render_images
from visual_review.api.mcp.rendering.recordings import (
    render_deletion,
    render_enrollment,
    render_recording,
    render_recordings,
)
from visual_review.api.mcp.rendering.repositories import (
    render_connection,
    render_host_repositories,
    render_organization_capture,
    render_product_capture,
    render_regions,
    render_removal,
    render_repositories,
    render_rotation,
)
from visual_review.api.mcp.rendering.reviewed_changes import render_reviewed_changes
from visual_review.api.mcp.rendering.threads import render_comment, render_request
from visual_review.api.mcp.rendering.truncated_builds import truncate_build
from visual_review.api.mcp.rendering.truncation import (
    TruncatedResult,
    count_tokens,
    render_any,
    truncate_result,
)
from visual_review.api.mcp.results import JsonObject, text_block
from visual_review.api.mcp.tool_selection import EVERYTHING, ToolSelection

# Text and structured content together: many clients give both to their model, and warn about,
# or truncate, more than 10,000 tokens. The rest is for the protocol.
MAX_TOKENS: Final = 9900
# The tokens of image links, in addition to text and structured content.
LINK_TOKENS: Final = {get_build.Result: 990, DecidedResult: 150}
# Text and structured content both have the sentence about omissions.
LEFT_OUT_TOKENS: Final = 300
LEFT_OUT: Final = "leftOut"

TEXTS: Final[dict[type[ActionResult], Callable[[Any, Caller], str]]] = {
    list_repos.Result: render_repositories,
    list_host_repos.Result: render_host_repositories,
    list_builds.Result: render_builds,
    connect_repo.Result: render_connection,
    rotate_repo_token.Result: render_rotation,
    remove_repo.Result: render_removal,
    set_repo_capture.Result: render_product_capture,
    set_org_capture.Result: render_organization_capture,
    set_dynamic_regions.Result: render_regions,
    DecidedResult: render_decision,
    enable_recordings.Result: render_enrollment,
    disable_recordings.Result: render_enrollment,
    list_recordings.Result: render_recordings,
    get_recording.Result: render_recording,
    delete_recording.Result: render_deletion,
    find_builds.Result: render_found_builds,
    list_changes.Result: render_changes,
    get_images.Result: render_images,
    review_results.Result: render_reviewed_changes,
    get_decisions.Result: render_decisions,
    get_history.Result: render_history,
    comment.Result: render_comment,
    request_review.Result: render_request,
}
# The image blocks of extensions, after their text.
IMAGES: Final[dict[type[ActionResult], Callable[[Any], list[JsonObject]]]] = {
    get_images.Result: image_blocks,
}


@dataclass(frozen=True)
class RenderedResult:
    """``structured`` is REST's ``result`` as JSON, truncated if too long; ``text`` a summary."""

    text: str
    structured: bytes
    is_truncated: bool = False


def render_result(
    result: ActionResult, caller: Caller, selection: ToolSelection = EVERYTHING
) -> RenderedResult:
    text = _write_text(result, caller, selection)
    budget = MAX_TOKENS - count_tokens(text) - LINK_TOKENS.get(type(result), 0)
    short = _truncate(result, budget, selection)
    if not short.left_out:
        return RenderedResult(text, short.structured)
    # Some clients show their model the one, some the other.
    text = f"{text}\nNot in structuredContent: {short.left_out}"
    return RenderedResult(text, _with_note(short), is_truncated=True)


def _write_text(result: ActionResult, caller: Caller, selection: ToolSelection) -> str:
    # Only the text of a build says how to continue, depending on the tools.
    if isinstance(result, get_build.Result):
        return render_build(result, caller, selection)
    # Results without an entry list their properties, so later actions need none.
    return TEXTS.get(type(result), render_any)(result, caller)


def render_content(result: ActionResult, caller: Caller) -> list[JsonObject]:
    """Return the content of an extension's result: all of it as text, and images if any.

    The result's next cursor leads to the rest, so nothing is truncated here.
    """
    text = _write_text(result, caller, EVERYTHING)
    images = IMAGES.get(type(result))
    return [text_block(text), *(images(result) if images else ())]


def _with_note(short: TruncatedResult) -> bytes:
    return to_json({LEFT_OUT: short.left_out})[:-1] + b"," + short.structured[1:]


def _truncate(result: ActionResult, budget: int, selection: ToolSelection) -> TruncatedResult:
    if isinstance(result, get_build.Result):
        return truncate_build(result, budget - LEFT_OUT_TOKENS, selection)
    return truncate_result(result, budget, LEFT_OUT_TOKENS)
