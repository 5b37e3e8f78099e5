"""Everything known from webhooks is found out by asking, too."""

from datetime import timedelta

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.hosted_world import NAME, HostedWorld, waiting_jobs, world_with_pull_request
from tests.support.personas import Personas
from visual_review.builds.models import PullRequest
from visual_review.jobs.hosts.poll_hosts import (
    AT_ONCE,
    PULL_REQUESTS_EVERY,
    REPOSITORIES_EVERY,
    poll_hosts,
)
from visual_review.kernel.clock import now
from visual_review.repositories.models import HostAccount, Repository

CHANGED = {"a": "blue", "same": "white"}


@pytest.fixture
def changed_world(personas: Personas) -> HostedWorld:
    """The pull request with a build in review."""
    return world_with_pull_request(personas.bob, CHANGED)


def let_time_pass(age: timedelta) -> None:
    PullRequest.objects.update(asked_at=now() - age - timedelta(minutes=1))
    Repository.objects.update(host_checked_at=now() - age - timedelta(minutes=1))


def asked(world: HostedWorld) -> list[str]:
    """The names of the calls in one turn."""
    before = len(world.host.calls())
    poll_hosts(0)
    world.run_jobs()
    return [call.name for call in world.host.calls()[before:]]


def test_a_published_build_has_its_pull_request_asked_for_at_once(world: HostedWorld) -> None:
    world.host.change_base_branch(NAME, 1, "release")
    # CI began before the base branch changed, or is wrong about the branch.
    build = world.publish_change({"a": "red", "same": "white"}, target="main")
    world.run_jobs()
    row = world.fresh(build)
    assert (row.base_branch, row.changed_count, row.status) == ("release", 1, "completed")
    assert world.pull_request.title == "Buttons"


def test_a_build_published_without_its_base_branch_gets_it(world: HostedWorld) -> None:
    world.host.change_base_branch(NAME, 1, "release")
    build = world.upload({"a": "red"}, "feature")
    type(build).objects.filter(pk=build.pk).update(pull_request=1)
    world.finish(build)
    world.run_jobs()
    row = world.fresh(build)
    assert (row.base_branch, row.baseline_rule) == ("release", "target_branch")


def test_a_changed_base_branch_is_found_within_the_hour(personas: Personas) -> None:
    world = world_with_pull_request(personas.bob, {"a": "red", "same": "white"})
    world.run_jobs()
    world.host.change_base_branch(NAME, 1, "release")
    assert "get_pull_request" not in asked(world)
    let_time_pass(PULL_REQUESTS_EVERY)
    assert asked(world) == ["get_pull_request"]
    assert world.fresh(world.build).base_branch == "release"


def test_a_merge_is_found_by_asking_and_merged_ones_are_not_asked_for_again(
    personas: Personas,
) -> None:
    world = world_with_pull_request(personas.bob, CHANGED, approved=True)
    world.run_jobs()
    world.host.merge_pull_request(NAME, 1, "2" * 40)
    let_time_pass(PULL_REQUESTS_EVERY)
    asked(world)
    assert world.pull_request.state == "merged"
    let_time_pass(PULL_REQUESTS_EVERY)
    assert asked(world) == []


def test_a_repository_is_looked_at_daily_and_follows_its_name(world: HostedWorld) -> None:
    asked(world)
    world.host.rename_repository(NAME, "acme/site")
    assert asked(world) == []
    let_time_pass(REPOSITORIES_EVERY)
    assert asked(world) == ["get_repository_by_id"]
    assert world.stored_repository.full_name == "acme/site"


def test_a_repository_that_is_shown_again_loses_its_problem(world: HostedWorld) -> None:
    fault = world.host.add_fault("missing", "get_repository_by_id", times=1)
    asked(world)
    assert fault.raised == 1
    assert world.stored_repository.host_problem
    let_time_pass(REPOSITORIES_EVERY)
    asked(world)
    assert world.stored_repository.host_problem == ""


def test_a_repository_without_an_id_gets_it_by_its_name(world: HostedWorld) -> None:
    host_id = world.stored_repository.host_id
    Repository.objects.update(host_id="")
    world.host.rename_repository(NAME, "acme/site")
    assert asked(world) == ["get_repository"]
    assert (world.stored_repository.host_id, world.stored_repository.full_name) == (
        host_id,
        "acme/site",
    )


def test_a_host_that_wants_a_pause_is_left_alone(changed_world: HostedWorld) -> None:
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    HostAccount.objects.update(paused_until=now() + timedelta(minutes=5))
    assert asked(changed_world) == []
    HostAccount.objects.update(paused_until=now() - timedelta(minutes=5))
    assert sorted(asked(changed_world)) == ["get_pull_request", "get_repository_by_id"]


def test_refused_credentials_are_tried_again_rarely(world: HostedWorld) -> None:
    world.host.add_fault("refused")
    asked(world)
    world.account.refresh_from_db()
    assert world.account.problem
    let_time_pass(REPOSITORIES_EVERY)
    assert asked(world) == []


def test_a_pull_request_the_host_does_not_know_is_asked_for_later(
    changed_world: HostedWorld,
) -> None:
    changed_world.host.add_fault("missing", "get_pull_request")
    changed_world.run_jobs()
    assert changed_world.pull_request.asked_at is not None
    assert "get_pull_request" not in asked(changed_world)


def test_unreadable_responses_change_nothing(changed_world: HostedWorld) -> None:
    changed_world.host.add_fault("html")
    changed_world.run_jobs()
    asked(changed_world)
    assert changed_world.stored_repository.host_problem == ""
    assert changed_world.fresh(changed_world.build).review_state == "unreviewed"


def test_many_repositories_are_asked_for_a_few_at_a_time(world: HostedWorld) -> None:
    Repository.objects.bulk_create(
        Repository(
            organization=world.persona.organization,
            full_name=f"acme/r{number}",
            host_account=world.account,
        )
        for number in range(AT_ONCE + 5)
    )
    poll_hosts(0)
    poll_hosts(0)
    assert waiting_jobs().filter(task_name="ask_repository").count() == AT_ONCE


def test_without_an_account_no_host_is_asked(world: HostedWorld) -> None:
    world.account.delete()
    world.repository.refresh_from_db()
    world.publish_change(CHANGED)
    assert asked(world) == []
