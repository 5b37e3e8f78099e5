"""Everything that webhooks tell is found out by asking, too."""

from datetime import timedelta

from procrastinate.contrib.django.models import ProcrastinateJob

from tests.actions.following.steps import NAME, Followed, waiting
from visual_review.builds.host_models import PullRequest
from visual_review.jobs.ask_hosts_in_turn import (
    AT_ONCE,
    PULL_REQUESTS_EVERY,
    REPOSITORIES_EVERY,
    ask_hosts_in_turn,
)
from visual_review.kernel.clock import now
from visual_review.repositories.models import HostAccount, Repository

CHANGED = {"a": "blue", "same": "white"}


def let_time_pass(age: timedelta) -> None:
    PullRequest.objects.update(asked_at=now() - age - timedelta(minutes=1))
    Repository.objects.update(host_checked_at=now() - age - timedelta(minutes=1))


def asked(followed: Followed) -> list[str]:
    """The names of the calls that one turn makes."""
    before = len(followed.host.calls())
    ask_hosts_in_turn(0)
    followed.run()
    return [call.name for call in followed.host.calls()[before:]]


def test_a_published_build_has_its_pull_request_asked_for_at_once(followed: Followed) -> None:
    followed.host.retarget(NAME, 1, "release")
    # CI began before the target changed, or tells it wrongly.
    build = followed.publish({"a": "red", "same": "white"}, target="main")
    followed.run()
    row = followed.world.fresh(build)
    assert (row.base_branch, row.changed_count, row.status) == ("release", 1, "completed")
    assert followed.pull_request.title == "Buttons"


def test_a_build_that_was_not_told_its_target_gets_it(followed: Followed) -> None:
    followed.host.retarget(NAME, 1, "release")
    build = followed.world.upload({"a": "red"}, "feature")
    type(build).objects.filter(pk=build.pk).update(pull_request=1)
    followed.world.finish(build)
    followed.run()
    row = followed.world.fresh(build)
    assert (row.base_branch, row.baseline_rule) == ("release", "target_branch")


def test_a_retargeted_pull_request_is_found_within_the_hour(followed: Followed) -> None:
    build = followed.publish({"a": "red", "same": "white"})
    followed.run()
    followed.host.retarget(NAME, 1, "release")
    assert "pull_request" not in asked(followed)
    let_time_pass(PULL_REQUESTS_EVERY)
    assert asked(followed) == ["pull_request"]
    assert followed.world.fresh(build).base_branch == "release"


def test_a_merge_is_found_by_asking_and_closed_ones_are_asked_for_no_more(
    followed: Followed,
) -> None:
    followed.approve(followed.publish(CHANGED))
    followed.run()
    followed.host.merge_pull_request(NAME, 1, "2" * 40)
    let_time_pass(PULL_REQUESTS_EVERY)
    asked(followed)
    assert followed.pull_request.state == "merged"
    let_time_pass(PULL_REQUESTS_EVERY)
    assert asked(followed) == []


def test_a_repository_is_looked_at_daily_and_follows_its_name(followed: Followed) -> None:
    asked(followed)
    followed.host.rename_repository(NAME, "acme/site")
    assert asked(followed) == []
    let_time_pass(REPOSITORIES_EVERY)
    assert asked(followed) == ["repository_by_id"]
    assert followed.repository.full_name == "acme/site"


def test_a_repository_that_is_shown_again_loses_its_problem(followed: Followed) -> None:
    fault = followed.host.disturb("missing", "repository_by_id", times=1)
    asked(followed)
    assert fault.raised == 1
    assert followed.repository.host_problem
    let_time_pass(REPOSITORIES_EVERY)
    asked(followed)
    assert followed.repository.host_problem == ""


def test_a_repository_without_an_id_gets_it_by_its_name(followed: Followed) -> None:
    host_id = followed.repository.host_id
    Repository.objects.update(host_id="")
    followed.host.rename_repository(NAME, "acme/site")
    assert asked(followed) == ["repository"]
    assert (followed.repository.host_id, followed.repository.full_name) == (host_id, "acme/site")


def test_a_host_that_wants_a_pause_is_left_alone(followed: Followed) -> None:
    followed.publish(CHANGED)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    HostAccount.objects.update(paused_until=now() + timedelta(minutes=5))
    assert asked(followed) == []
    HostAccount.objects.update(paused_until=now() - timedelta(minutes=5))
    assert sorted(asked(followed)) == ["pull_request", "repository_by_id"]


def test_refused_credentials_are_tried_again_rarely(followed: Followed) -> None:
    followed.host.disturb("refused")
    asked(followed)
    followed.account.refresh_from_db()
    assert followed.account.problem
    let_time_pass(REPOSITORIES_EVERY)
    assert asked(followed) == []


def test_a_pull_request_the_host_does_not_know_waits_its_turn(followed: Followed) -> None:
    followed.publish(CHANGED)
    followed.host.disturb("missing", "pull_request")
    followed.run()
    assert followed.pull_request.asked_at is not None
    assert "pull_request" not in asked(followed)


def test_answers_that_are_no_answers_change_nothing(followed: Followed) -> None:
    build = followed.publish(CHANGED)
    followed.host.disturb("html")
    followed.run()
    asked(followed)
    assert followed.repository.host_problem == ""
    assert followed.world.fresh(build).review_state == "unreviewed"


def test_many_repositories_are_asked_for_a_few_at_a_time(followed: Followed) -> None:
    Repository.objects.bulk_create(
        Repository(
            organization=followed.persona.organization,
            full_name=f"acme/r{number}",
            host_account=followed.account,
        )
        for number in range(AT_ONCE + 5)
    )
    ask_hosts_in_turn(0)
    ask_hosts_in_turn(0)
    assert waiting().filter(task_name="ask_repository").count() == AT_ONCE


def test_without_an_account_nobody_is_asked(followed: Followed) -> None:
    followed.account.delete()
    followed.world.repository.refresh_from_db()
    followed.publish(CHANGED)
    assert asked(followed) == []
