"""One tool call: dispatches the action like every API, and converts the result for MCP."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action
from visual_review.actions.published_calls import call_published
from visual_review.actions.registry import callable_action, is_extended, nearest_action
from visual_review.actions.schema import ActionResult
from visual_review.api.errors import ErrorDescription, describe_error
from visual_review.api.mcp.build_resources import result_link
from visual_review.api.mcp.image_resources import links_for
from visual_review.api.mcp.protocol import INVALID_PARAMS, ProtocolError
from visual_review.api.mcp.rendering import render_content, render_result
from visual_review.api.mcp.results import ToolResult, error_result, text_block
from visual_review.api.mcp.tool_selection import EVERYTHING, ToolSelection
from visual_review.kernel.errors import NotFoundError

DONE: Final = (
    "The call was carried out, but the service failed to write its result. Do not repeat it; "
    "check what it changed."
)


def call_tool(
    caller: Caller,
    name: str,
    arguments: Mapping[str, Any],
    selection: ToolSelection = EVERYTHING,
) -> ToolResult:
    """Run the action ``name``; errors become results for a model to act on.

    Raises ProtocolError if there is no such tool on the connection.
    """
    action = _find_tool(name, selection)
    try:
        result = call_published(action, caller, arguments)
    except Exception as error:  # noqa: BLE001 - An endpoint always responds.
        return error_result(describe_error(error))
    try:
        return _to_tool_result(action, result, caller, arguments, selection)
    except Exception as error:  # noqa: BLE001 - As above; here the action has already run.
        found = describe_error(error)
        return error_result(found if action.read_only else _done_without_result(found))


def _find_tool(name: str, selection: ToolSelection) -> Action[Any, Any]:
    offered = {action.name for action in selection.actions()}
    try:
        action = callable_action(name)
    except NotFoundError:
        message = f"There is no tool '{name[:80]}'.{nearest_action(name, offered)}"
        raise ProtocolError(INVALID_PARAMS, message) from None
    if name not in offered:
        raise ProtocolError(INVALID_PARAMS, selection.describe_unavailable(name))
    return action


def _to_tool_result(
    action: Action[Any, Any],
    result: ActionResult,
    caller: Caller,
    arguments: Mapping[str, Any],
    selection: ToolSelection,
) -> ToolResult:
    if is_extended(action.name):
        return ToolResult(render_content(result, caller))
    rendered = render_result(result, caller, selection)
    content = [text_block(rendered.text), *links_for(result, arguments)]
    # Extensions have every page, and some clients give their model only the text.
    if rendered.is_truncated or not selection.offers_extension("review"):
        content += result_link(result)
    return ToolResult(content, rendered.structured)


def _done_without_result(error: ErrorDescription) -> ErrorDescription:
    """Describe an internal error after storing the changes: the changes are not lost."""
    more = f" Its log has details under '{error.incident}'." if error.incident else ""
    return replace(error, detail=f"{DONE}{more}")
