"""Whatever the host does, in the end statuses and comments are right and single."""

from datetime import timedelta

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings
from scripts.local_host.memory import MemoryHost, world_of

from tests.support.host_accounts import ADDRESS, TOKEN
from tests.support.hosts.connected_repository import (
    COMMIT,
    NAME,
    ConnectedRepository,
    repository_with_build,
)
from tests.support.personas import Personas
from visual_review.builds.models import Build, HostMessage
from visual_review.hosts.port import HostStatus
from visual_review.jobs.hosts.deliver_notifications import LONGEST_PAUSE, MOST_ATTEMPTS, retry_pause
from visual_review.jobs.hosts.link_repositories import link_repositories
from visual_review.kernel.clock import now
from visual_review.repositories.host_accounts import disconnect_account, encrypt_credentials
from visual_review.repositories.models import HostAccount

SHOTS = {"a": "red", "b": "blue"}


@pytest.fixture
def repository(personas: Personas) -> ConnectedRepository:
    """The host knows nothing yet of the build in review."""
    return repository_with_build(personas.alice, SHOTS)


@pytest.fixture
def notified_repository(personas: Personas) -> ConnectedRepository:
    """The host was notified of the build in review."""
    return repository_with_build(personas.alice, SHOTS, delivered=True)


def assert_right_and_single(repository: ConnectedRepository) -> None:
    assert set(repository.statuses().values()) == {"success"}
    plain = [body for body in repository.comments() if "visual-review:comment:" in body]
    rejections = [body for body in repository.comments() if "visual-review:rejection:" in body]
    assert len(plain) == 1
    assert "Visual Review: approved" in plain[0]
    assert len(rejections) == 1
    assert not HostMessage.objects.exclude(state="sent").exists()
    assert not HostMessage.objects.exclude(failure="").exists()


def decide(repository: ConnectedRepository) -> None:
    repository.run_jobs()
    repository.reject(repository.build, "a")
    repository.run_jobs()
    repository.approve(repository.build)


def set_review_due_status(repository: ConnectedRepository, state: str) -> None:
    settings = {
        "postsComments": True,
        "commentPictures": True,
        "reviewDueStatus": state,
        "allowsSkip": False,
    }
    repository.world.act("set_repo_host", repoId=repository.row.id, **settings)


def settle(repository: ConnectedRepository) -> None:
    for _ in range(40):
        repository.pass_time()
        if not HostMessage.objects.filter(state="waiting").exists():
            return


def test_a_host_that_is_down_is_notified_when_it_is_back(repository: ConnectedRepository) -> None:
    repository.host.add_fault("busy")
    decide(repository)
    for _ in range(4):
        repository.pass_time()
    assert repository.statuses() == {}
    waiting = HostMessage.objects.filter(state="waiting")
    assert waiting.exists()
    assert "does not respond" in waiting[0].failure
    assert waiting[0].next_try_at is not None
    repository.host.clear_faults()
    settle(repository)
    assert_right_and_single(repository)


@pytest.mark.parametrize("every", [3, 4, 5])
def test_a_host_that_fails_now_and_then(repository: ConnectedRepository, every: int) -> None:
    repository.host.add_fault("busy", every=every)
    decide(repository)
    settle(repository)
    assert_right_and_single(repository)


@pytest.mark.parametrize("every", [1, 2, 3])
def test_lost_responses_double_nothing(repository: ConnectedRepository, every: int) -> None:
    repository.host.add_fault(
        "busy",
        "add_comment",
        "edit_comment",
        "set_status",
        every=every,
        times=8,
        response_lost=True,
    )
    decide(repository)
    settle(repository)
    assert_right_and_single(repository)


def test_a_response_in_html_is_tried_again_later(repository: ConnectedRepository) -> None:
    repository.host.add_fault("html", times=4)
    decide(repository)
    settle(repository)
    assert_right_and_single(repository)


def test_a_rate_limit_is_honored_for_the_whole_account(repository: ConnectedRepository) -> None:
    repository.host.add_fault("busy", times=1, until=now() + timedelta(minutes=30))
    repository.run_jobs()
    calls = len(repository.host.calls())
    assert calls == 1
    account = HostAccount.objects.get()
    assert account.paused_until is not None
    assert account.paused_until > now() + timedelta(minutes=29)
    repository.world.publish({"a": "red"}, commit="d" * 40)
    repository.reject(repository.build, "a")
    repository.run_jobs()
    assert len(repository.host.calls()) == calls
    repository.approve(repository.build)
    settle(repository)
    assert_right_and_single(repository)
    assert HostAccount.objects.get().paused_until is None


def test_a_pause_without_end_ends_after_an_hour(repository: ConnectedRepository) -> None:
    repository.host.add_fault("busy", times=1, until=now() + timedelta(days=4000))
    repository.run_jobs()
    paused = HostAccount.objects.get().paused_until
    assert paused is not None
    assert paused < now() + timedelta(hours=1, minutes=1)
    for message in HostMessage.objects.all():
        assert message.next_try_at is not None
        assert message.next_try_at <= paused


def test_a_host_that_always_asks_to_retry_at_once_is_given_a_pause(
    repository: ConnectedRepository,
) -> None:
    repository.host.add_fault("busy", until=now())
    repository.run_jobs()
    HostMessage.objects.update(attempts=20)
    repository.pass_time()
    for message in HostMessage.objects.all():
        assert message.next_try_at is not None
        assert message.next_try_at > now() + LONGEST_PAUSE / 2


def test_a_status_that_changes_back_after_a_lost_response_is_sent_again(
    notified_repository: ConnectedRepository,
) -> None:
    notified_repository.host.add_fault("busy", "set_status", times=1, response_lost=True)
    set_review_due_status(notified_repository, "failure")
    notified_repository.run_jobs()
    assert "failure" in notified_repository.statuses().values()
    set_review_due_status(notified_repository, "pending")
    settle(notified_repository)
    assert set(notified_repository.statuses().values()) == {"pending"}


def test_one_declined_status_blocks_nothing_else(repository: ConnectedRepository) -> None:
    repository.host.add_fault("declined", "set_status", times=1)
    repository.run_jobs()
    assert len(repository.statuses()) == 1
    assert len(repository.comments()) == 1
    assert repository.message(state="failed").kind == "status"


def test_a_revoked_token_is_shown_and_blocks_no_message_for_good(
    repository: ConnectedRepository,
) -> None:
    repository.host.revoke(TOKEN)
    repository.run_jobs()
    account = HostAccount.objects.get()
    assert "does not accept this token" in account.problem
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"failed"}
    repository.host.clear_faults()
    decide(repository)
    settle(repository)
    assert_right_and_single(repository)
    assert HostAccount.objects.get().problem == ""


def test_one_refused_comment_leaves_statuses_alone(repository: ConnectedRepository) -> None:
    repository.host.add_fault("refused", "add_comment")
    repository.run_jobs()
    assert set(repository.statuses().values()) == {"pending"}
    message = repository.message(kind="comment")
    assert message.state == "failed"
    assert message.failure


def test_a_pull_request_that_is_gone_fails_its_comment_alone(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    empty_repository.run_jobs()
    assert empty_repository.statuses()["visual-review"] == "pending"
    assert "no pull request #1" in empty_repository.message(kind="comment").failure


def test_a_url_that_is_not_allowed_any_more_is_shown(
    repository: ConnectedRepository, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ()
    repository.run_jobs()
    assert "may not call" in repository.message(kind="comment").failure
    assert "may not call" in HostAccount.objects.get().problem


def test_a_repository_that_is_gone_there_waits_until_it_is_back(
    repository: ConnectedRepository,
) -> None:
    repository.row.host_problem = "The host has no such repository."
    repository.row.save()
    repository.pass_time()
    assert not repository.host.calls()
    assert repository.message(kind="comment").failure == "The host has no such repository."
    repository.row.host_problem = ""
    repository.row.save()
    repository.pass_time()
    assert len(repository.comments()) == 1


def test_an_account_that_was_disconnected_drops_what_waits(repository: ConnectedRepository) -> None:
    repository.account.delete()
    repository.run_jobs()
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"dropped"}
    assert not repository.host.calls()


def test_the_next_account_overwrites_no_comment_that_has_the_same_id(
    notified_repository: ConnectedRepository,
) -> None:
    with transaction.atomic():
        disconnect_account(notified_repository.account)
    # A host of its own, where someone else's comment happens to have the id of ours.
    world_of(ADDRESS, fresh=True)
    notified_repository.host.add_repository(NAME)
    notified_repository.open_pull_request()
    theirs = notified_repository.host.write_comment(NAME, 1, "Mine")
    assert theirs.id == notified_repository.message(kind="comment").reference
    account = HostAccount.objects.create(
        organization=notified_repository.world.persona.organization,
        kind="memory",
        address=ADDRESS,
        credentials=encrypt_credentials({"token": TOKEN}),
    )
    link_repositories(account.id)
    notified_repository.row.refresh_from_db()
    notified_repository.approve(Build.objects.get(pk=notified_repository.build.pk))
    notified_repository.run_jobs()
    assert len(notified_repository.comments()) == 2
    assert notified_repository.comments()[0] == "Mine"
    assert "approved" in notified_repository.comments()[1]


def test_a_worker_killed_between_post_and_note_posts_nothing_twice(
    repository: ConnectedRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    add = MemoryHost.add_comment

    def killed(self: MemoryHost, full_name: str, number: int, body: str) -> None:
        add(self, full_name, number, body)
        raise KilledError

    repository.reject(repository.build, "a")
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(MemoryHost, "add_comment", killed)
            with pytest.raises(KilledError):
                repository.run_jobs()
        # The queue brings an interrupted job back.
        repository.requeue()
    repository.run_jobs()
    repository.approve(repository.build)
    settle(repository)
    assert_right_and_single(repository)


def test_a_change_during_a_notification_is_sent_after_it(
    notified_repository: ConnectedRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = MemoryHost.set_status
    decided = []

    def meanwhile(self: MemoryHost, full_name: str, commit: str, status: HostStatus) -> None:
        if not decided:
            decided.append(True)
            notified_repository.approve(notified_repository.build)
        send(self, full_name, commit, status)

    monkeypatch.setattr(MemoryHost, "set_status", meanwhile)
    notified_repository.reject(notified_repository.build, "a")
    notified_repository.run_jobs()
    assert_right_and_single(notified_repository)


def test_pauses_grow_to_ten_minutes() -> None:
    pauses = [retry_pause(attempts) for attempts in range(MOST_ATTEMPTS)]
    assert pauses == sorted(pauses)
    assert pauses[0] < timedelta(seconds=5)
    assert pauses[-1] == LONGEST_PAUSE
    assert sum(pauses, timedelta()) > timedelta(days=7)


def test_after_a_week_without_success_it_is_given_up_with_a_message(
    repository: ConnectedRepository,
) -> None:
    repository.host.add_fault("busy")
    repository.run_jobs()
    HostMessage.objects.update(attempts=MOST_ATTEMPTS)
    for _ in range(5):
        repository.pass_time()
        HostMessage.objects.filter(state="waiting").update(attempts=MOST_ATTEMPTS)
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"failed"}
    assert "Given up" in repository.message(kind="comment").failure
