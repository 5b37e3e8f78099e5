"""The list of tools: the actions that a caller may use."""

from functools import cache
from typing import Any

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action
from visual_review.actions.registry import is_extended
from visual_review.api.mcp.schemas import input_schema, output_schema
from visual_review.api.mcp.tool_selection import EVERYTHING, ToolSelection

JsonObject = dict[str, Any]


def tools_of(caller: Caller, selection: ToolSelection = EVERYTHING) -> list[JsonObject]:
    """Return the tools of ``caller`` on this connection, in the order of the API."""
    return [tool_of(action) for action in selection.actions() if caller.may(action.permission)]


# One entry per action, and actions are created only at startup.
@cache
def tool_of(action: Action[Any, Any]) -> JsonObject:
    tool = {
        "name": action.name,
        "title": action.title,
        "description": action.description,
        "inputSchema": input_schema(action),
    }
    # Clients give text and structured content to their model, which would pay for both.
    if not is_extended(action.name):
        tool["outputSchema"] = output_schema(action)
    return {**tool, "annotations": _annotations(action)}


def _annotations(action: Action[Any, Any]) -> JsonObject:
    if action.read_only:
        # The hints about destructive and repeated calls apply only to tools that change something.
        return {"readOnlyHint": True, "openWorldHint": action.open_world}
    return {
        "readOnlyHint": False,
        "destructiveHint": action.hints.destructive,
        "idempotentHint": action.hints.idempotent,
        "openWorldHint": action.open_world,
    }
