"""The setting whether approvals carry over across pull requests."""

import pytest

from tests.support.action_calls import act
from tests.support.case import Case
from tests.support.hosted_world import NAME, world_with_pull_request
from tests.support.personas import Personas
from tests.support.statements import interrupted
from tests.support.worlds import World, world_with_baseline
from visual_review.builds.models import Build, PullRequest

MERGE = "2" * 40


@pytest.fixture
def world(personas: Personas) -> World:
    """The repository's main branch shows red, and a change to blue is approved in #1."""
    world = world_with_baseline(personas.alice, {"a": "red"})
    world.approve(publish(world, 1))
    return world


def choose(world: World, *, across: bool) -> None:
    arguments = {"repoId": world.repository.id, "enabled": across}
    act(world.persona, "change_boolean_setting", setting="carries_approvals_over", **arguments)
    world.repository.refresh_from_db()


def publish(world: World, number: int, color: str = "blue", branch: str = "") -> Build:
    return world.publish({"a": color}, branch or f"topic-{number}", target="main", number=number)


def test_another_pull_request_needs_its_own_review_only_if_the_setting_is_off(world: World) -> None:
    assert publish(world, 2).decision_source == "carried_over"
    choose(world, across=False)
    assert publish(world, 3).review_state == "unreviewed"
    choose(world, across=True)
    assert publish(world, 4).decision_source == "carried_over"


def test_approvals_stay_in_their_pull_request_and_branch(world: World, case: Case) -> None:
    choose(world, across=False)
    before = world.publish({"b": "blue", "a": "red"}, "topic-2")
    world.approve(before)
    for name, build in (
        ("another push", publish(world, 1)),
        ("a renamed branch", publish(world, 1, branch="renamed")),
        (
            "built before the pull request was opened",
            world.publish({"b": "blue", "a": "red"}, "topic-2", target="main", number=2),
        ),
    ):
        with case(name):
            assert (build.review_state, build.decision_source) == ("approved", "carried_over")


def test_the_base_branch_needs_no_review_after_a_merge_that_no_provider_reports(
    world: World,
) -> None:
    choose(world, across=False)
    merged = world.publish({"a": "blue"})
    assert (merged.review_state, merged.decision_source) == ("approved", "carried_over")


def test_the_base_branch_waits_for_a_merge_that_a_provider_reports(personas: Personas) -> None:
    world = world_with_pull_request(personas.alice, {"a": "blue", "same": "white"}, approved=True)
    choose(world, across=False)
    world.deliver_webhooks()
    build = world.publish({"a": "blue", "same": "white"}, "main", commit=MERGE)
    other = world.publish({"a": "blue", "same": "white"}, "other", target="main", number=2)
    assert (build.review_state, other.review_state) == ("unreviewed", "unreviewed")
    world.host.merge_pull_request(NAME, 1, MERGE)
    world.deliver_webhooks()
    assert world.fresh(build).decision_source == "carried_over"


def test_a_merge_queue_takes_the_approvals_and_moves_no_baseline_but_its_own(world: World) -> None:
    choose(world, across=False)
    branch = "gh-readonly-queue/main/pr-1-4f9c1d7b"
    queued = world.publish({"a": "blue"}, branch, target="main", number=None)
    assert (queued.review_state, queued.decision_source) == ("approved", "carried_over")
    assert queued.baseline_rule == "target_branch"
    # Changes without an approval in the pull request are reviewed in the queue, for its branch
    # only.
    other = world.publish({"a": "green"}, f"{branch}2", target="main", number=None)
    assert other.review_state == "unreviewed"
    world.approve(other)
    topic = world.publish({"a": "red"}, "topic-9", target="main", number=9)
    assert topic.review_state == "not_required"


def test_after_a_merge_all_pull_requests_take_its_approvals(world: World) -> None:
    choose(world, across=False)
    assert publish(world, 2).review_state == "unreviewed"
    pull_requests = PullRequest.objects.filter(repository=world.repository, number=1)
    pull_requests.update(state="merged", base_branch="release")
    assert publish(world, 3).review_state == "unreviewed"
    pull_requests.update(base_branch="main")
    assert publish(world, 4).decision_source == "carried_over"


def test_a_rejection_in_another_pull_request_still_ends_the_carry_over(world: World) -> None:
    choose(world, across=False)
    rejected = publish(world, 2)
    world.act("reject_build", buildId=rejected.id)
    assert publish(world, 1).review_state == "unreviewed"
    world.approve(rejected)
    assert publish(world, 1).decision_source == "carried_over"
    # An approval from elsewhere is still not an approval here.
    assert publish(world, 3).review_state == "unreviewed"


def test_a_build_that_is_deleted_during_a_comparison_does_not_stop_it(world: World) -> None:
    choose(world, across=False)
    approved = Build.objects.get(repository=world.repository, pull_request=1)
    # After reading the decisions, and before reading the places of their builds.
    with interrupted('"builds_build"."id" IN', approved.delete):
        assert publish(world, 1).review_state == "unreviewed"


def test_a_decision_is_kept_when_the_base_branch_changes_whatever_others_approve(
    personas: Personas,
) -> None:
    world = world_with_pull_request(personas.alice, {"a": "blue", "same": "white"})
    choose(world, across=False)
    world.approve(world.publish({"a": "red", "same": "white"}, "next"))
    world.approve(world.build)
    elsewhere = world.publish({"a": "blue", "same": "white"}, "other", target="next", number=2)
    world.approve(elsewhere)
    world.host.change_base_branch(NAME, 1, "next")
    world.deliver_webhooks()
    build = world.process(world.build)
    assert build.base_branch == "next"
    assert world.shot(build, "a").decision_source == "user"
