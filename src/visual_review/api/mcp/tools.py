"""The list of tools: the published actions that a caller may use."""

from functools import cache
from typing import Any

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action
from visual_review.actions.registry import published_actions
from visual_review.api.mcp.schemas import input_schema, output_schema

JsonObject = dict[str, Any]


def tools_of(caller: Caller) -> list[JsonObject]:
    """Return the tools of ``caller``, in the order of the API."""
    return [tool_of(action) for action in published_actions() if caller.may(action.permission)]


# One entry per action, and actions are created only at startup.
@cache
def tool_of(action: Action[Any, Any]) -> JsonObject:
    return {
        "name": action.name,
        "title": action.title,
        "description": action.description,
        "inputSchema": input_schema(action),
        "outputSchema": output_schema(action),
        "annotations": _annotations(action),
    }


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
