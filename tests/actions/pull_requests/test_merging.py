"""After a merge, approvals of the pull request make a review of the base branch unnecessary."""

from dataclasses import dataclass

import pytest

from tests.support.hosted_world import NAME, HostedWorld, world_with_pull_request
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from visual_review.builds.models import Build
from visual_review.builds.reviewing.carry_over import carry_over_again

APPROVED = {"a": "blue", "same": "white", "extra": "yellow"}
MERGE = "2" * 40


def publish_base_branch(
    world: HostedWorld, shots: dict[str, str] | None = None, commit: str = MERGE
) -> Build:
    """Publish as CI does for the base branch after the merge."""
    return world.publish(shots or APPROVED, "main", commit=commit)


def merge(world: HostedWorld, commit: str = MERGE) -> None:
    world.host.merge_pull_request(NAME, 1, commit)
    world.deliver_webhooks()


@dataclass
class BuiltTwice:
    """The pull request with a build, and the base branch's build with the same images."""

    world: HostedWorld
    base_build: Build


@scene
def build_twice(persona: Persona) -> BuiltTwice:
    world = world_with_pull_request(persona, APPROVED)
    return BuiltTwice(world, publish_base_branch(world))


@pytest.fixture
def built_twice(personas: Personas) -> BuiltTwice:
    return build_twice(personas.bob)


@pytest.fixture
def world(built_twice: BuiltTwice) -> HostedWorld:
    return built_twice.world


@pytest.fixture
def base_build(built_twice: BuiltTwice) -> Build:
    return built_twice.base_build


# The pull request's head, a commit of the host's own for a merge or a squash, the last of a rebase.
@pytest.mark.parametrize("commit", ["1" * 40, MERGE, "3" * 40])
@pytest.mark.parametrize("webhooks", [True, False])
def test_however_it_was_merged_no_one_is_asked_again(
    personas: Personas, commit: str, *, webhooks: bool
) -> None:
    world = world_with_pull_request(personas.bob, APPROVED, approved=True)
    if webhooks:
        merge(world, commit)
    row = publish_base_branch(world, commit=commit)
    assert (row.review_state, row.decision_source) == ("approved", "carried_over")
    assert world.baseline("main") == APPROVED


def test_a_build_of_the_base_branch_after_the_merge_is_approved_with_the_pull_request(
    personas: Personas,
) -> None:
    world = world_with_pull_request(personas.bob, APPROVED)
    merge(world)
    base_build = publish_base_branch(world)
    assert base_build.review_state == "unreviewed"
    world.approve(world.build)
    world.run_jobs()
    row = world.fresh(base_build)
    assert (row.review_state, row.decision_source) == ("approved", "carried_over")
    assert world.states(base_build)["a"] == "changed approved"
    assert world.baseline("main") == APPROVED


def test_a_build_of_the_base_branch_before_the_event_of_the_merge_is_approved_after_it(
    world: HostedWorld, base_build: Build
) -> None:
    world.approve(world.build)
    world.run_jobs()
    # No one knows yet that one led to the other.
    assert world.fresh(base_build).review_state == "unreviewed"
    merge(world)
    assert world.fresh(base_build).decision_source == "carried_over"


def test_a_partial_approval_leaves_only_the_rest_to_review(
    world: HostedWorld, base_build: Build
) -> None:
    shot = world.shot(world.build, "a")
    world.act("review_screenshot", screenshotId=shot.id, state="approved")
    merge(world)
    assert world.fresh(base_build).review_state == "unreviewed"
    states = world.states(base_build)
    assert (states["a"], states["extra"]) == ("changed approved", "new")


def test_what_differs_after_the_merge_needs_a_review(personas: Personas) -> None:
    world = world_with_pull_request(personas.bob, APPROVED, approved=True)
    base_build = publish_base_branch(world, {**APPROVED, "a": "black"})
    merge(world)
    assert world.fresh(base_build).review_state == "unreviewed"
    assert world.states(base_build)["a"] == "changed"


def test_a_rejection_in_the_base_branch_stays(world: HostedWorld, base_build: Build) -> None:
    world.act("reject_build", buildId=base_build.id)
    merge(world)
    world.approve(world.build)
    world.run_jobs()
    row = world.fresh(base_build)
    assert (row.review_state, row.decided_by_name) == ("rejected", "Bob")


def test_a_newer_decision_in_the_base_branch_is_kept(world: HostedWorld, base_build: Build) -> None:
    newer = publish_base_branch(world, {"a": "black", "same": "white"}, "4" * 40)
    world.approve(newer)
    world.approve(world.build)
    merge(world)
    assert world.fresh(base_build).review_state == "unreviewed"
    assert world.baseline("main") == {"a": "black", "same": "white"}


def test_a_pull_request_closed_without_a_merge_carries_nothing_over(
    world: HostedWorld, base_build: Build
) -> None:
    world.host.close_pull_request(NAME, 1)
    world.deliver_webhooks()
    world.approve(world.build)
    world.run_jobs()
    assert world.fresh(base_build).review_state == "unreviewed"


def test_carrying_over_a_second_time_changes_nothing_more(
    world: HostedWorld, base_build: Build
) -> None:
    world.approve(world.build)
    assert carry_over_again(base_build.id)
    before = base_build.review_log.count()
    assert not carry_over_again(base_build.id)
    assert base_build.review_log.count() == before
