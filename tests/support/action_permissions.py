"""Who may call which action, and IDs that an action does not find."""

from tests.support.action_arguments import Target
from visual_review.actions.registry import callable_actions

MAY = {
    "viewer": {"repos:view", "builds:view", "recordings:view"},
    "reviewer": {"repos:view", "builds:view", "recordings:view", "builds:review"},
}
MAY["admin"] = MAY["reviewer"] | {"repos:manage", "recordings:manage"}
MAY["owner"] = MAY["admin"]
NEEDS = {action.name: action.permission for action in callable_actions()}
IDS = ("repoId", "buildId", "screenshotId", "recordingId")


def missing_like(real: str) -> str:
    """Return an ID of the same form that does not exist."""
    return real[:-4] + "0000"


def other_kind(target: Target, field: str) -> str:
    """Return an ID that exists, but of another kind than the field accepts."""
    return target.screenshot.id if field != "screenshotId" else target.build.id
