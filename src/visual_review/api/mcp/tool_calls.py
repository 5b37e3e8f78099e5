"""One call of a tool: the dispatcher of every door, and its answer in the words of the protocol."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import published_action
from visual_review.actions.schema import ActionResult
from visual_review.api.errors import Explained, explain
from visual_review.api.mcp.error_results import refusal
from visual_review.api.mcp.image_resources import links_for
from visual_review.api.mcp.rendering import answer_of
from visual_review.kernel.errors import NotFoundError

DONE: Final = (
    "The call was carried out, and then the service failed to write its result. Do not repeat it; "
    "look at what it changed."
)


def call_tool(caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """Run the action ``name``; refusals become results a model can read and mend.

    Raises MCPError for a name that is no tool.
    """
    try:
        action = published_action(name)
    except NotFoundError:
        raise MCPError(INVALID_PARAMS, f"There is no tool '{name[:80]}'.") from None
    try:
        result = dispatch(action, caller, arguments)
    except Exception as error:  # noqa: BLE001 - A door answers, whatever happened behind it.
        return refusal(explain(error))
    try:
        return _told(result, caller, arguments)
    except Exception as error:  # noqa: BLE001 - As above, and here the action has run already.
        told = explain(error)
        return refusal(told if action.read_only else _done_without_result(told))


def _told(result: ActionResult, caller: Caller, arguments: Mapping[str, Any]) -> CallToolResult:
    answer = answer_of(result, caller)
    return CallToolResult(
        content=[TextContent(text=answer.text), *links_for(result, arguments)],
        structured_content=answer.structured,
    )


def _done_without_result(told: Explained) -> Explained:
    """A failure of ours after the changes were stored; "nothing was changed" would be a lie."""
    more = f" Its log tells more under '{told.incident}'." if told.incident else ""
    return replace(told, detail=f"{DONE}{more}")
