"""Everything that webhooks bring is found out by asking, too."""

from datetime import timedelta

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.hosts.tracked_pull_request import (
    NAME,
    TrackedPullRequest,
    track_pull_request,
    waiting_jobs,
)
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
def changed_pull_request(personas: Personas) -> TrackedPullRequest:
    """The pull request with a build in review."""
    return track_pull_request(personas.bob, CHANGED)


def let_time_pass(age: timedelta) -> None:
    PullRequest.objects.update(asked_at=now() - age - timedelta(minutes=1))
    Repository.objects.update(host_checked_at=now() - age - timedelta(minutes=1))


def asked(pull_request: TrackedPullRequest) -> list[str]:
    """The names of the calls that one turn makes."""
    before = len(pull_request.host.calls())
    poll_hosts(0)
    pull_request.run_jobs()
    return [call.name for call in pull_request.host.calls()[before:]]


def test_a_published_build_has_its_pull_request_asked_for_at_once(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.change_base_branch(NAME, 1, "release")
    # CI began before the base branch changed, or is wrong about it.
    build = pull_request.publish({"a": "red", "same": "white"}, target="main")
    pull_request.run_jobs()
    row = pull_request.world.fresh(build)
    assert (row.base_branch, row.changed_count, row.status) == ("release", 1, "completed")
    assert pull_request.row.title == "Buttons"


def test_a_build_published_without_its_base_branch_gets_it(
    pull_request: TrackedPullRequest,
) -> None:
    pull_request.host.change_base_branch(NAME, 1, "release")
    build = pull_request.world.upload({"a": "red"}, "feature")
    type(build).objects.filter(pk=build.pk).update(pull_request=1)
    pull_request.world.finish(build)
    pull_request.run_jobs()
    row = pull_request.world.fresh(build)
    assert (row.base_branch, row.baseline_rule) == ("release", "target_branch")


def test_a_changed_base_branch_is_found_within_the_hour(personas: Personas) -> None:
    pull_request = track_pull_request(personas.bob, {"a": "red", "same": "white"})
    pull_request.run_jobs()
    pull_request.host.change_base_branch(NAME, 1, "release")
    assert "get_pull_request" not in asked(pull_request)
    let_time_pass(PULL_REQUESTS_EVERY)
    assert asked(pull_request) == ["get_pull_request"]
    assert pull_request.world.fresh(pull_request.build).base_branch == "release"


def test_a_merge_is_found_by_asking_and_merged_ones_are_not_asked_for_again(
    personas: Personas,
) -> None:
    pull_request = track_pull_request(personas.bob, CHANGED, approved=True)
    pull_request.run_jobs()
    pull_request.host.merge_pull_request(NAME, 1, "2" * 40)
    let_time_pass(PULL_REQUESTS_EVERY)
    asked(pull_request)
    assert pull_request.row.state == "merged"
    let_time_pass(PULL_REQUESTS_EVERY)
    assert asked(pull_request) == []


def test_a_repository_is_looked_at_daily_and_follows_its_name(
    pull_request: TrackedPullRequest,
) -> None:
    asked(pull_request)
    pull_request.host.rename_repository(NAME, "acme/site")
    assert asked(pull_request) == []
    let_time_pass(REPOSITORIES_EVERY)
    assert asked(pull_request) == ["get_repository_by_id"]
    assert pull_request.repository.full_name == "acme/site"


def test_a_repository_that_is_shown_again_loses_its_problem(
    pull_request: TrackedPullRequest,
) -> None:
    fault = pull_request.host.add_fault("missing", "get_repository_by_id", times=1)
    asked(pull_request)
    assert fault.raised == 1
    assert pull_request.repository.host_problem
    let_time_pass(REPOSITORIES_EVERY)
    asked(pull_request)
    assert pull_request.repository.host_problem == ""


def test_a_repository_without_an_id_gets_it_by_its_name(pull_request: TrackedPullRequest) -> None:
    host_id = pull_request.repository.host_id
    Repository.objects.update(host_id="")
    pull_request.host.rename_repository(NAME, "acme/site")
    assert asked(pull_request) == ["get_repository"]
    assert (pull_request.repository.host_id, pull_request.repository.full_name) == (
        host_id,
        "acme/site",
    )


def test_a_host_that_wants_a_pause_is_left_alone(changed_pull_request: TrackedPullRequest) -> None:
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    HostAccount.objects.update(paused_until=now() + timedelta(minutes=5))
    assert asked(changed_pull_request) == []
    HostAccount.objects.update(paused_until=now() - timedelta(minutes=5))
    assert sorted(asked(changed_pull_request)) == ["get_pull_request", "get_repository_by_id"]


def test_refused_credentials_are_tried_again_rarely(pull_request: TrackedPullRequest) -> None:
    pull_request.host.add_fault("refused")
    asked(pull_request)
    pull_request.account.refresh_from_db()
    assert pull_request.account.problem
    let_time_pass(REPOSITORIES_EVERY)
    assert asked(pull_request) == []


def test_a_pull_request_the_host_does_not_know_is_asked_for_later(
    changed_pull_request: TrackedPullRequest,
) -> None:
    changed_pull_request.host.add_fault("missing", "get_pull_request")
    changed_pull_request.run_jobs()
    assert changed_pull_request.row.asked_at is not None
    assert "get_pull_request" not in asked(changed_pull_request)


def test_unreadable_responses_change_nothing(changed_pull_request: TrackedPullRequest) -> None:
    changed_pull_request.host.add_fault("html")
    changed_pull_request.run_jobs()
    asked(changed_pull_request)
    assert changed_pull_request.repository.host_problem == ""
    assert changed_pull_request.world.fresh(changed_pull_request.build).review_state == "unreviewed"


def test_many_repositories_are_asked_for_a_few_at_a_time(pull_request: TrackedPullRequest) -> None:
    Repository.objects.bulk_create(
        Repository(
            organization=pull_request.persona.organization,
            full_name=f"acme/r{number}",
            host_account=pull_request.account,
        )
        for number in range(AT_ONCE + 5)
    )
    poll_hosts(0)
    poll_hosts(0)
    assert waiting_jobs().filter(task_name="ask_repository").count() == AT_ONCE


def test_without_an_account_no_host_is_asked(pull_request: TrackedPullRequest) -> None:
    pull_request.account.delete()
    pull_request.world.repository.refresh_from_db()
    pull_request.publish(CHANGED)
    assert asked(pull_request) == []
