"""The list of tools: the published actions that a caller may use."""

from functools import cache
from typing import Any

from mcp_types import Tool, ToolAnnotations

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action
from visual_review.actions.registry import published_actions
from visual_review.api.mcp.schemas import input_schema, output_schema


def tools_of(caller: Caller) -> list[Tool]:
    """Return the tools of ``caller``, in the order of the API."""
    return [tool_of(action) for action in published_actions() if caller.may(action.permission)]


# One entry per action, and actions are created only at startup.
@cache
def tool_of(action: Action[Any, Any]) -> Tool:
    return Tool(
        name=action.name,
        title=action.title,
        description=action.description,
        input_schema=input_schema(action),
        output_schema=output_schema(action),
        annotations=_annotations(action),
    )


def _annotations(action: Action[Any, Any]) -> ToolAnnotations:
    if action.read_only:
        # The hints about destructive and repeated calls apply only to tools that change something.
        return ToolAnnotations(read_only_hint=True, open_world_hint=action.open_world)
    return ToolAnnotations(
        read_only_hint=False,
        destructive_hint=action.hints.destructive,
        idempotent_hint=action.hints.idempotent,
        open_world_hint=action.open_world,
    )
