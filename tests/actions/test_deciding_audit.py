"""The audit entries of decisions, and who may decide."""

import pytest

from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import callable_action
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build
from visual_review.kernel.errors import ConflictError, ForbiddenError, NotFoundError


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def newest_entry(world: World) -> AuditEntry:
    entry = AuditEntry.objects.filter(
        organization_id=world.persona.organization.id, channel="web"
    ).first()
    assert entry is not None
    return entry


@pytest.mark.parametrize(
    ("action", "verb", "state"),
    [
        ("approve_build", "build.approved", "approved"),
        ("approve_all_screenshots", "build.approved", "approved"),
        ("reject_build", "build.rejected", "rejected"),
    ],
)
def test_a_decision_on_a_build_is_logged_with_before_and_after(
    world: World, action: str, verb: str, state: str
) -> None:
    build = world.publish({"a": "red"})
    world.act(action, buildId=build.id)
    entry = newest_entry(world)
    assert (entry.verb, entry.target_id, entry.actor_name) == (verb, build.id, "Bob")
    assert entry.before == {"reviewState": "unreviewed"}
    assert entry.after is not None
    assert (entry.after["reviewState"], entry.after["screenshots"]) == (state, 1)


@pytest.mark.parametrize("state", ["approved", "rejected"])
def test_a_decision_on_a_screenshot_is_logged_with_its_comment(world: World, state: str) -> None:
    build = world.publish({"a": "red", "b": "blue"})
    shot = world.shot(build, "a")
    world.act("review_screenshot", screenshotId=shot.id, state=state, comment="So it goes")
    entry = newest_entry(world)
    assert (entry.verb, entry.target_id) == (f"screenshot.{state}", shot.id)
    assert entry.before == {"decision": None, "buildReviewState": "unreviewed"}
    assert entry.after is not None
    assert (entry.after["decision"], entry.after["comment"]) == (state, "So it goes")


def test_an_approved_story_is_logged_with_its_id(world: World) -> None:
    build = world.publish({"a": "red", "b": "blue"})
    world.act("approve_story_screenshots", buildId=build.id, storyId="a")
    entry = newest_entry(world)
    assert (entry.verb, entry.target_id) == ("story.approved", build.id)
    assert entry.after is not None
    assert (entry.after["storyId"], entry.after["screenshots"]) == ("a", 1)


def test_an_unknown_story_is_not_found_and_an_unchanged_one_a_conflict(world: World) -> None:
    world.approve(world.publish({"a": "red"}))
    build = world.publish({"a": "red"})
    with pytest.raises(NotFoundError, match="story"):
        world.act("approve_story_screenshots", buildId=build.id, storyId="z")
    with pytest.raises(ConflictError, match="nothing to decide"):
        world.act("approve_story_screenshots", buildId=build.id, storyId="a")


def test_a_failed_decision_writes_no_audit_entry(world: World) -> None:
    build = world.publish({"a": "error"})
    count = AuditEntry.objects.count()
    with pytest.raises(ConflictError):
        world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert AuditEntry.objects.count() == count


def decisions_of(build: Build) -> list[tuple[str, dict[str, object]]]:
    shot = build.screenshots.get()
    return [
        ("approve_build", {}),
        ("reject_build", {}),
        ("approve_all_screenshots", {}),
        ("approve_story_screenshots", {"storyId": "a"}),
        ("review_screenshot", {"screenshotId": shot.id, "state": "approved"}),
    ]


def attempt(action: str, caller: Caller, build: Build, extra: dict[str, object]) -> None:
    payload = extra if "screenshotId" in extra else {"buildId": build.id, **extra}
    dispatch(callable_action(action), caller, payload)


def test_a_viewer_cannot_decide(personas: Personas, world: World) -> None:
    build = world.publish({"a": "red"})
    for action, extra in decisions_of(build):
        with pytest.raises(ForbiddenError):
            attempt(action, personas.carol.caller, build, extra)


def test_another_organizations_builds_are_not_found(personas: Personas, world: World) -> None:
    build = world.publish({"a": "red"})
    for action, extra in decisions_of(build):
        with pytest.raises(NotFoundError):
            attempt(action, personas.mallory.caller, build, extra)
