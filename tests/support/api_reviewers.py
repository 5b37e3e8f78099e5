"""Reviewers through the API: callers with a key, who fetch images and decide."""

from dataclasses import replace
from itertools import count
from typing import Any

from tests.support.action_arguments import Target
from tests.support.personas import Persona
from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.extended.decision_input import format_seen
from visual_review.actions.registry import any_action, callable_actions
from visual_review.actions.viewers import viewer_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.reviewing.evidence import View, record_views
from visual_review.imagediff import Box

_numbers = count()
# Larger than any screenshot of the tests.
ALL = Box(0, 0, 10_000, 10_000)


def agent_of(persona: Persona, key: str = "key_one", client: str = "Claude Code") -> Caller:
    """Return the persona as an MCP client with an API key."""
    return replace(persona.caller, channel="mcp", key_id=key, client=client, client_version="2.1.0")


def look_at(caller: Caller, *shots: Screenshot, form: str = "composite", scale: float = 1) -> None:
    """Record that the caller has fetched both sides of the screenshots completely."""
    views = [View(shot, form, scale, ("before", "after"), [ALL]) for shot in shots]
    record_views(viewer_of(caller), views)


def review(caller: Caller, build: Build, /, *decisions: dict[str, Any], **more: Any) -> Any:  # noqa: ANN401 - A result.
    return dispatch(any_action("review_changes"), caller, review_payload(build, *decisions, **more))


def review_payload(build: Build, /, *decisions: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
    """Return a request with a new id, of a reviewer who has seen everything so far."""
    payload = {
        "buildId": build.id,
        "requestId": f"agent-{next(_numbers)}",
        "decisions": list(decisions),
        "seen": format_seen(build.id),
    }
    return payload | more


def call(caller: Caller, name: str, **payload: Any) -> Any:  # noqa: ANN401 - JSON, and a result.
    return dispatch(any_action(name), caller, payload)


MAY = {
    "viewer": {"repos:view", "builds:view", "recordings:view"},
    "reviewer": {"repos:view", "builds:view", "recordings:view", "builds:review"},
}
MAY["admin"] = MAY["reviewer"] | {"repos:manage", "recordings:manage"}
MAY["owner"] = MAY["admin"]
NEEDS = {action.name: action.permission for action in callable_actions()}
IDS = ("repoId", "buildId", "screenshotId", "recordingId")


def missing_like(real: str) -> str:
    """Return an unused ID of the same form."""
    return real[:-4] + "0000"


def other_kind(target: Target, field: str) -> str:
    """Return the ID of an existing object, but of another kind than the field accepts."""
    return target.screenshot.id if field != "screenshotId" else target.build.id
