"""Requests that decide several screenshots, in the form of the review page."""

from itertools import count
from typing import Any

from tests.support.action_calls import act
from tests.support.personas import Persona
from visual_review.builds.cursors import Cursor
from visual_review.builds.models import Build, ChangeGroup, ReviewEntry, Screenshot

_numbers = count()


def newest_cursor(build: Build) -> str:
    """Return the cursor of a reviewer who has seen everything so far."""
    newest = ReviewEntry.objects.filter(build=build).order_by("-id").first()
    return str(Cursor(0, newest.pk if newest else 0))


def decision_payload(build: Build, decision: str, /, **selection: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
    """Return a request with a new id; ``shots`` are named by their story."""
    shots = selection.pop("shots", ())
    named = Screenshot.objects.filter(build=build, story_id__in=shots).order_by("story_id")
    groups = selection.pop("groups", ())
    payload = {
        "buildId": build.id,
        "requestId": f"request-{next(_numbers)}",
        "decision": decision,
        "screenshots": list(named.values_list("pk", flat=True)),
        "groups": [{"id": group.id, "revision": group.revision} for group in groups],
        "seen": newest_cursor(build),
    }
    return payload | selection


def decide(persona: Persona, build: Build, decision: str, /, **selection: Any) -> Any:  # noqa: ANN401 - A result.
    return act(persona, "decide_screenshots", **decision_payload(build, decision, **selection))


def undo(persona: Persona, build: Build, decision_id: str, request_id: str = "") -> Any:  # noqa: ANN401 - A result.
    return act(
        persona,
        "undo_decision",
        buildId=build.id,
        decisionId=decision_id,
        requestId=request_id or f"request-{next(_numbers)}",
    )


def group_with(build: Build, story: str) -> ChangeGroup:
    return ChangeGroup.objects.get(build=build, screenshots__story_id=story)


def decided_rows(build: Build) -> dict[str, dict[str, Any]]:
    """Return the columns of every decision in the build by story, for exact comparisons."""
    names = (
        *("review_decision", "decision_source", "decided_by_id", "decided_by_name"),
        *("decided_client", "decided_at", "comment", "carried_from_id"),
    )
    return {
        row["story_id"]: {name: row[name] for name in names}
        for row in Screenshot.objects.filter(build=build).values("story_id", *names)
    }


def build_row(build: Build) -> tuple[Any, ...]:
    """Return the columns of the decision on the build itself."""
    names = ("review_state", "decided_by_id", "decided_by_name", "decided_at", "decision_source")
    return tuple(Build.objects.filter(pk=build.pk).values_list(*names).get())
