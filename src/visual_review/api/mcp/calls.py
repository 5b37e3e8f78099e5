"""One call of a tool: the dispatcher of every door, and its answer in the words of the protocol."""

from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import published_action
from visual_review.api.errors import explain
from visual_review.api.mcp.pictures import links_for
from visual_review.api.mcp.refusals import refusal
from visual_review.api.mcp.texts import answer_of
from visual_review.kernel.errors import NotFoundError


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
        answer = answer_of(result, caller)
        links = links_for(result, arguments)
    except Exception as error:  # noqa: BLE001 - A door answers, whatever happened behind it.
        return refusal(explain(error))
    return CallToolResult(
        content=[TextContent(text=answer.text), *links], structured_content=answer.structured
    )
