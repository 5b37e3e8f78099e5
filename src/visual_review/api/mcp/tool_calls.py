"""One tool call: dispatches the action like every API, and converts the result for MCP."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import published_action
from visual_review.actions.schema import ActionResult
from visual_review.api.errors import ErrorDescription, describe_error
from visual_review.api.mcp.error_results import error_result
from visual_review.api.mcp.image_resources import links_for
from visual_review.api.mcp.protocol_errors import ProtocolError
from visual_review.api.mcp.rendering import render_result
from visual_review.api.mcp.results import ToolResult
from visual_review.kernel.errors import NotFoundError

DONE: Final = (
    "The call was carried out, but the service failed to write its result. Do not repeat it; "
    "check what it changed."
)


def call_tool(caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Run the action ``name``; errors become results that a model can act on.

    Raises ProtocolError if there is no such tool.
    """
    try:
        action = published_action(name)
    except NotFoundError:
        raise ProtocolError(INVALID_PARAMS, f"There is no tool '{name[:80]}'.") from None
    try:
        result = dispatch(action, caller, arguments)
    except Exception as error:  # noqa: BLE001 - An endpoint always responds.
        return ToolResult(error_result(describe_error(error)))
    try:
        return _to_tool_result(result, caller, arguments)
    except Exception as error:  # noqa: BLE001 - As above; here the action has already run.
        found = describe_error(error)
        described = found if action.read_only else _done_without_result(found)
        return ToolResult(error_result(described))


def _to_tool_result(
    result: ActionResult, caller: Caller, arguments: Mapping[str, Any]
) -> ToolResult:
    rendered = render_result(result, caller)
    shown = [TextContent(text=rendered.text), *links_for(result, arguments)]
    return ToolResult(CallToolResult(content=shown), rendered.structured)


def _done_without_result(error: ErrorDescription) -> ErrorDescription:
    """Describe an internal error after the changes were stored: they are not lost."""
    more = f" Its log has details under '{error.incident}'." if error.incident else ""
    return replace(error, detail=f"{DONE}{more}")
