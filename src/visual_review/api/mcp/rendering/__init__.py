"""Results as models read them: brief texts, and structured content that is never too long."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_results import DecidedResult
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
from visual_review.api.mcp.rendering.build_lists import text_of_builds
from visual_review.api.mcp.rendering.builds import text_of_build
from visual_review.api.mcp.rendering.capture_settings import (
    text_of_organization_capture,
    text_of_product_capture,
    text_of_regions,
)
from visual_review.api.mcp.rendering.decisions import text_of_decision
from visual_review.api.mcp.rendering.generic import text_of_any
from visual_review.api.mcp.rendering.recordings import (
    text_of_deletion,
    text_of_enrollment,
    text_of_recording,
    text_of_recordings,
)
from visual_review.api.mcp.rendering.repositories import (
    text_of_connection,
    text_of_host_repositories,
    text_of_removal,
    text_of_repositories,
    text_of_rotation,
)
from visual_review.api.mcp.rendering.token_counts import tokens
from visual_review.api.mcp.rendering.truncated_builds import shortened_build
from visual_review.api.mcp.rendering.truncation import Shortened, shortened

# Text and structured content together: many clients hand both to their model, and warn about, or
# cut, what has more than 10,000 tokens. The rest is for the protocol.
MOST_TOKENS: Final = 9900
# What links to pictures take beside them.
LINKED: Final = {get_build.Result: 900, DecidedResult: 150}
# The sentence on what is left out stands in both.
LEFT_OUT_TOKENS: Final = 300
LEFT_OUT: Final = "leftOut"

TEXTS: Final[dict[type[ActionResult], Callable[[Any, Caller], str]]] = {
    list_repos.Result: text_of_repositories,
    list_host_repos.Result: text_of_host_repositories,
    list_builds.Result: text_of_builds,
    get_build.Result: text_of_build,
    connect_repo.Result: text_of_connection,
    rotate_repo_token.Result: text_of_rotation,
    remove_repo.Result: text_of_removal,
    set_repo_capture.Result: text_of_product_capture,
    set_org_capture.Result: text_of_organization_capture,
    set_dynamic_regions.Result: text_of_regions,
    DecidedResult: text_of_decision,
    enable_recordings.Result: text_of_enrollment,
    disable_recordings.Result: text_of_enrollment,
    list_recordings.Result: text_of_recordings,
    get_recording.Result: text_of_recording,
    delete_recording.Result: text_of_deletion,
}


@dataclass(frozen=True)
class Answer:
    """``structured`` is REST's ``result``, cut where it is too long; ``text`` says it briefly."""

    text: str
    structured: dict[str, Any]


def answer_of(result: ActionResult, caller: Caller) -> Answer:
    # Results without an entry tell their properties, so later actions need none.
    text = TEXTS.get(type(result), text_of_any)(result, caller)
    short = _shortened(result, MOST_TOKENS - tokens(text) - LINKED.get(type(result), 0))
    if not short.left_out:
        return Answer(text, short.structured)
    # Some clients show their model the one, some the other.
    told = f"{text}\nNot in structuredContent: {short.left_out}"
    return Answer(told, {LEFT_OUT: short.left_out, **short.structured})


def _shortened(result: ActionResult, room: int) -> Shortened:
    if isinstance(result, get_build.Result):
        return shortened_build(result, room - LEFT_OUT_TOKENS)
    return shortened(result, room, LEFT_OUT_TOKENS)
