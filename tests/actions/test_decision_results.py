"""Results of deciding actions: open screenshots, obstacles, and replaced rejections of others."""

from random import Random
from typing import Any

import pytest

from tests.support.action_calls import act
from tests.support.case import Case
from tests.support.depth import rounds, seed
from tests.support.personas import Persona, Personas
from tests.support.worlds import (
    World,
    build_with_a_change,
    build_with_each_state,
    world_with_baseline,
)
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import BaselineVersion, Build, ReviewEntry, Screenshot
from visual_review.builds.states import DIFFERENCES
from visual_review.kernel.errors import ConflictError

STEPS = 8
UNREVIEWED = "unreviewed"


def review(persona: Persona, shot: Screenshot, state: str, **more: str) -> Any:  # noqa: ANN401 - A result.
    return act(persona, "review_screenshot", screenshotId=shot.id, state=state, **more)


def on_build(persona: Persona, action: str, build: Build, **more: str) -> Any:  # noqa: ANN401 - A result.
    return act(persona, action, buildId=build.id, **more)


def test_a_decision_on_a_screenshot_returns_it_next_to_the_build(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    shot = world.shot(build, "other")
    done = review(personas.bob, shot, "rejected", comment="Too green")
    assert done.screenshot.model_dump() == {
        "id": shot.id,
        "decision": "rejected",
        "comment": "Too green",
    }
    # The new one is open; the failed one takes no decision.
    assert (done.review_state, done.open_screenshots, done.failed_screenshots) == (UNREVIEWED, 1, 1)
    assert done.warnings == []
    # A rejection without a comment keeps the earlier one, an approval removes it.
    assert review(personas.bob, shot, "rejected").screenshot.comment == "Too green"
    approved = review(personas.bob, shot, "approved")
    assert (approved.screenshot.decision, approved.screenshot.comment) == ("approved", None)


def test_the_comment_of_an_approval_is_no_reason_to_reject(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    shot = world.shot(build, "other")
    review(personas.bob, shot, "approved", comment="Looks great")
    done = review(personas.bob, shot, "rejected")
    assert (done.screenshot.decision, done.screenshot.comment) == ("rejected", None)
    assert world.shot(build, "other").comment == ""
    # The same words are then a rejection of their own.
    assert review(personas.bob, shot, "rejected", comment="Looks great").screenshot.comment
    assert world.shot(build, "other").comment == "Looks great"
    # A rejection of the whole build keeps the comment.
    on_build(personas.bob, "reject_build", build)
    assert world.shot(build, "other").comment == "Looks great"


def test_failures_that_keep_a_build_rejected_are_named(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    on_build(personas.bob, "reject_build", build)
    reviewed = [
        review(personas.bob, shot, "approved")
        for shot in Screenshot.objects.filter(build=build, diff_state__in=DIFFERENCES)
    ]
    assert [done.warnings for done in reviewed[:-1]] == [[]] * (len(reviewed) - 1)
    (warning,) = reviewed[-1].warnings
    assert "so the build stays rejected" in warning
    assert on_build(personas.bob, "approve_build", build).warnings == []
    assert world.fresh(build).review_state == "approved"


def test_every_deciding_action_says_what_is_left(case: Case, personas: Personas) -> None:
    _, build = build_with_each_state(personas.bob)
    for action, more, expected in (
        ("approve_story_screenshots", {"storyId": "other"}, (1, 1)),
        ("reject_build", {}, (0, 1)),
        ("approve_build", {}, (0, 1)),
        ("approve_all_screenshots", {}, (0, 1)),
    ):
        with case(action):
            done = on_build(personas.bob, action, build, **more)
            assert (done.open_screenshots, done.failed_screenshots) == expected
            assert done.screenshot is None


def test_the_failures_that_are_left_are_named(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    on_build(personas.bob, "approve_story_screenshots", build, storyId="other")
    done = on_build(personas.bob, "approve_story_screenshots", build, storyId="more")
    assert (done.review_state, done.open_screenshots) == (UNREVIEWED, 0)
    (warning,) = done.warnings
    assert warning.startswith("1 screenshot failed and cannot be decided. approve_build ")
    assert on_build(personas.bob, "approve_build", build).warnings == []
    assert world.fresh(build).review_state == "approved"


def test_the_rejections_that_are_left_are_named(personas: Personas) -> None:
    world, build = build_with_a_change(personas.bob)
    shot = world.shot(build, "a")
    review(personas.bob, shot, "rejected")
    (warning,) = review(personas.bob, world.shot(build, "c"), "approved").warnings
    assert warning.startswith("1 changed or new screenshot is rejected")
    assert "with review_screenshot" in warning
    done = review(personas.bob, shot, "approved")
    assert (done.review_state, done.warnings) == ("approved", [])


def test_a_rejected_unchanged_screenshot_is_named(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    build = world.publish({"a": "red"})
    done = review(personas.bob, world.shot(build, "a"), "rejected")
    assert done.review_state == "not_required"
    (warning,) = done.warnings
    assert "1 unchanged screenshot is rejected" in warning
    assert "reject_build" in warning
    rejected = on_build(personas.bob, "reject_build", build)
    assert (rejected.review_state, rejected.warnings) == ("rejected", [])


def test_a_rejected_removal_of_an_approved_build_is_named(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "red"})
    build = world.publish({"a": "blue"})
    on_build(personas.bob, "approve_build", build)
    done = review(personas.bob, world.shot(build, "b"), "rejected")
    assert done.review_state == UNREVIEWED
    assert any("1 removed screenshot is rejected" in warning for warning in done.warnings)
    assert review(personas.bob, world.shot(build, "b"), "approved").review_state == "approved"


def test_an_approval_says_whose_rejections_it_overrides(case: Case, personas: Personas) -> None:
    world = World(personas.bob)
    for action, more, expected in (
        ("approve_build", {}, "3 rejections by Alice and Bob are overridden."),
        ("approve_all_screenshots", {}, "3 rejections by Alice and Bob are overridden."),
        ("approve_story_screenshots", {"storyId": "a"}, "1 rejection by Alice is overridden."),
    ):
        build = world.publish({"a": "red", "b": "blue", "c": "green"}, f"branch-{action}")
        for story, persona in (("a", personas.alice), ("b", personas.bob), ("c", personas.alice)):
            review(persona, world.shot(build, story), "rejected")
        with case(action):
            assert expected in on_build(personas.bob, action, build, **more).warnings
            again = on_build(personas.bob, action, build, **more)
            assert not any("overridden" in warning for warning in again.warnings)


def test_unchanged_ones_are_overridden_only_where_everything_is_approved(
    personas: Personas,
) -> None:
    world, build = build_with_a_change(personas.bob)
    review(personas.alice, world.shot(build, "b"), "rejected")
    assert on_build(personas.bob, "approve_build", build).warnings == []
    done = on_build(personas.bob, "approve_all_screenshots", build)
    assert done.warnings == ["1 rejection by Alice is overridden."]


def test_the_same_rejection_again_changes_nothing(case: Case, personas: Personas) -> None:
    world, build = build_with_a_change(personas.bob)
    shot = world.shot(build, "a")
    first = review(personas.bob, shot, "rejected", comment="Too green")
    before = (ReviewEntry.objects.count(), AuditEntry.objects.count())
    for persona, words in (
        (personas.bob, {"comment": "Too green"}),
        (personas.alice, {"comment": "Too green"}),
        (personas.alice, {"comment": " Too green\n"}),
        (personas.bob, {}),
    ):
        with case((persona.caller.name, words)):
            done = review(persona, shot, "rejected", **words)
            assert done.model_dump() == first.model_dump() | {
                "screenshot": done.screenshot.model_dump()
            }
            assert done.screenshot.comment.strip() == "Too green"
            assert (ReviewEntry.objects.count(), AuditEntry.objects.count()) == before
    shot.refresh_from_db()
    assert (shot.decided_by_name, shot.comment) == ("Bob", "Too green")
    review(personas.alice, shot, "rejected", comment="Much too green")
    shot.refresh_from_db()
    assert (shot.decided_by_name, shot.comment) == ("Alice", "Much too green")


def test_the_same_decision_again_writes_nothing(case: Case, personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "red"})
    build = world.publish({"a": "green", "b": "green"})
    shot = world.shot(build, "a")
    for action, payload in (
        ("review_screenshot", {"screenshotId": shot.id, "state": "approved"}),
        ("review_screenshot", {"screenshotId": shot.id, "state": "rejected"}),
        ("approve_story_screenshots", {"buildId": build.id, "storyId": "a"}),
        ("approve_build", {"buildId": build.id}),
        ("approve_all_screenshots", {"buildId": build.id}),
        ("reject_build", {"buildId": build.id}),
    ):
        with case((action, payload)):
            first = act(personas.bob, action, **payload)
            before = written(build)
            again = act(personas.bob, action, **payload)
            assert written(build) == before
            assert (again.review_state, again.screenshot) == (first.review_state, first.screenshot)


def written(build: Build) -> list[object]:
    """Return all rows written by decisions: log, audit entries, versions and messages, too."""
    rows = Screenshot.objects.filter(build=build).order_by("pk").values()
    return [
        *rows,
        *Build.objects.filter(pk=build.pk).values(),
        ReviewEntry.objects.count(),
        AuditEntry.objects.count(),
        BaselineVersion.objects.count(),
    ]


def test_a_carried_over_approval_becomes_the_callers_own(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "red"})
    on_build(personas.bob, "approve_build", world.publish({"a": "green", "b": "red"}, "first"))
    build = world.publish({"a": "green", "b": "blue"}, "second")
    shot = world.shot(build, "a")
    assert (shot.review_decision, shot.decision_source) == ("approved", "carried_over")
    review(personas.alice, shot, "approved")
    shot.refresh_from_db()
    assert (shot.decided_by_name, shot.decision_source) == ("Alice", "user")


def test_the_same_approval_still_approves_a_build_that_it_can_approve_now(
    personas: Personas,
) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "red"})
    build = world.publish({"a": "blue"})
    review(personas.bob, world.shot(build, "a"), "approved")
    review(personas.bob, world.shot(build, "b"), "rejected")
    done = review(personas.bob, world.shot(build, "a"), "approved")
    assert (done.review_state, done.finalized) == ("approved", True)


@pytest.mark.search
def test_any_decisions_leave_something_to_decide_or_a_warning(personas: Personas) -> None:
    random = Random(seed())
    world, _ = build_with_each_state(personas.bob)
    for number in range(rounds(3, 60)):
        ReviewEntry.objects.all().delete()
        shots = {"same": "red", "other": "green", "more": "blue"} | (
            {"broken": "error"} if number % 2 else {"broken": "white"}
        )
        build = world.publish(shots, f"branch-{number}")
        for _ in range(STEPS):
            done = decide_somehow(random, personas.bob, build)
            if done is None or done.review_state != UNREVIEWED or done.open_screenshots:
                continue
            assert any("approve_build" in warning for warning in done.warnings)
        assert on_build(personas.bob, "approve_build", build).review_state == "approved"


def decide_somehow(random: Random, persona: Persona, build: Build) -> Any:  # noqa: ANN401 - A result.
    if random.random() < 0.1:
        return on_build(persona, random.choice(("approve_build", "reject_build")), build)
    shot = random.choice(list(Screenshot.objects.filter(build=build)))
    try:
        return review(persona, shot, random.choice(("approved", "rejected")))
    except ConflictError:
        # A failed one.
        return None


def test_approving_all_screenshots_names_the_failed_ones(personas: Personas) -> None:
    world = world_with_baseline(personas.alice, {"a": "red", "b": "red"})
    build = world.publish({"a": "error", "b": "blue"})
    result = world.act("approve_all_screenshots", buildId=build.id)
    assert world.states(build)["a"] == "failed"
    (warning,) = result.warnings
    assert warning.startswith("1 failed screenshot has no image to decide about")
