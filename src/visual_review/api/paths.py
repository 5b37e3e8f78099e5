"""The paths of the API, and the message about an unknown path."""

from typing import Final

from django.urls import Resolver404, resolve

from visual_review.actions.registry import near_actions
from visual_review.builds.near_names import nearest_name

API_ROOT: Final = "/api"
ACTION_PATH: Final = f"{API_ROOT}/rest/actions/"
# Other paths have an id in the middle, so no guess could be complete.
FIXED: Final = (
    f"{API_ROOT}/openapi.json",
    f"{API_ROOT}/mcp",
    f"{API_ROOT}/ci/capture-plan",
    f"{API_ROOT}/ci/builds",
    f"{API_ROOT}/ci/recordings",
    f"{API_ROOT}/oauth/register",
    f"{API_ROOT}/oauth/token",
    f"{API_ROOT}/oauth/revoke",
)
SHOWN: Final = 200


def is_api_path(path: str) -> bool:
    return path.startswith(f"{API_ROOT}/") or path == API_ROOT


def describe_unknown_path(path: str) -> str:
    """Return the message for a path below ``/api`` without an endpoint."""
    meant = " or ".join(f"'{near}'" for near in _near_paths(path))
    hint = (
        f"Did you mean {meant}?"
        if meant
        else f"Actions are called by POST at '{ACTION_PATH}' and their name; "
        f"GET '{API_ROOT}/openapi.json' lists them."
    )
    return f"There is nothing at '{path[:SHOWN]}'. {hint}"


def _near_paths(path: str) -> list[str]:
    stripped = path.rstrip("/")
    if stripped != path and _exists(stripped):
        return [stripped]
    # A part of the path is missing, without a clue to the missing part.
    if ACTION_PATH.startswith(stripped):
        return []
    called = stripped.rpartition("/")[2]
    # Whole paths of actions are alike in their beginning, whatever the action does.
    actions = [f"{ACTION_PATH}{name}" for name in near_actions(called)]
    # As in every action's name, and in no other path.
    if actions and "_" in called:
        return actions
    fixed = nearest_name(path, FIXED)
    return [fixed] if fixed else actions


def _exists(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True
