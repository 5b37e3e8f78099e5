"""The paths of the API, and what a caller learns about one that does not exist."""

from typing import Final

from django.urls import Resolver404, resolve

from visual_review.actions.registry import published_actions
from visual_review.kernel.near_names import nearest_name

API_ROOT: Final = "/api"
ACTION_PATH: Final = f"{API_ROOT}/rest/actions/"
# Others have an id in the middle, which no guess could complete.
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
    """Return the message for a path below ``/api`` that no endpoint has."""
    meant = _nearest_path(path)
    hint = (
        f"Did you mean '{meant}'?"
        if meant
        else f"Actions are called by POST at '{ACTION_PATH}' and their name; "
        f"GET '{API_ROOT}/openapi.json' lists them."
    )
    return f"There is nothing at '{path[:SHOWN]}'. {hint}"


def _nearest_path(path: str) -> str | None:
    stripped = path.rstrip("/")
    if stripped != path and _exists(stripped):
        return stripped
    # Something is missing, and nothing says what.
    if ACTION_PATH.startswith(stripped):
        return None
    actions = [f"{ACTION_PATH}{action.name}" for action in published_actions()]
    called = f"{ACTION_PATH}{stripped.rpartition('/')[2]}"
    return called if called in actions else nearest_name(path, (*FIXED, *actions))


def _exists(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True
