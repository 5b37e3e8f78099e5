"""The effects of approving a build, shown to reviewers before they confirm."""

from typing import Any

import pytest

from tests.support.action_calls import act, error_of
from tests.support.deciding import decide
from tests.support.personas import Persona, Personas
from tests.support.worlds import BuildInReview, World, build_with_each_state
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline, Build
from visual_review.kernel.errors import NotFoundError


@pytest.fixture
def each(personas: Personas) -> BuildInReview:
    return build_with_each_state(personas.bob)


def preview(persona: Persona, build: Build, **more: object) -> dict[str, Any]:
    found: dict[str, Any] = act(persona, "preview_approval", buildId=build.id, **more).model_dump()
    return found


def test_it_counts_what_the_approval_accepts(each: BuildInReview, personas: Personas) -> None:
    world, build = each
    decide(personas.alice, build, "rejected", shots=["gone", "more"])
    decide(world.persona, build, "rejected", shots=["same"])
    assert preview(personas.carol, build) == {
        "undecided": 1,
        "changed": 1,
        "new": 1,
        "removed": 1,
        "removalsOpen": 0,
        "failures": 1,
        "unchanged": 0,
        "rejections": [{"by": "Alice", "count": 2}],
        "version": 2,
        "branch": "main",
        "rollsBack": False,
        "replacesBuild": 1,
        "alreadyApproved": False,
    }
    assert preview(world.persona, build, includeUnchanged=True)["unchanged"] == 1


def test_it_says_that_a_newer_build_is_replaced(personas: Personas) -> None:
    world = World(personas.bob)
    older, newer = world.publish({"a": "red"}), world.publish({"a": "blue"})
    world.approve(newer)
    found = preview(world.persona, older)
    assert (found["rollsBack"], found["replacesBuild"], found["version"]) == (True, 2, 2)
    found = preview(world.persona, newer)
    assert (found["alreadyApproved"], found["replacesBuild"]) == (True, None)


def test_it_is_about_the_builds_own_branch(personas: Personas) -> None:
    world = World(personas.bob)
    build = world.publish({"a": "red"}, "topic", fork="fork/web", target="main")
    Baseline.objects.filter(branch="topic").delete()
    found = preview(world.persona, build)
    assert (found["branch"], found["version"], found["replacesBuild"]) == (
        "fork/web:topic",
        1,
        None,
    )
    assert not Baseline.objects.filter(branch="topic").exists()


def test_it_changes_nothing_and_finds_no_foreign_build(
    each: BuildInReview, personas: Personas
) -> None:
    world, build = each
    before = AuditEntry.objects.count()
    preview(world.persona, build)
    assert AuditEntry.objects.count() == before
    error_of(NotFoundError, personas.mallory, "preview_approval", buildId=build.id)
