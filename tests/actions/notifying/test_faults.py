"""Whatever the host does, in the end statuses and comments are right and single."""

from datetime import timedelta

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings
from scripts.local_host.memory import MemoryHost, world_of

from tests.support.host_accounts import ADDRESS, TOKEN
from tests.support.hosted_world import NAME, HostedWorld, world_with_build
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
def world(personas: Personas) -> HostedWorld:
    """The host knows nothing yet of the build in review."""
    return world_with_build(personas.alice, SHOTS)


@pytest.fixture
def notified_world(personas: Personas) -> HostedWorld:
    """The host was notified of the build in review."""
    return world_with_build(personas.alice, SHOTS, notified=True)


def assert_right_and_single(world: HostedWorld) -> None:
    assert set(world.statuses().values()) == {"success"}
    plain = [body for body in world.comments() if "visual-review:comment:" in body]
    rejections = [body for body in world.comments() if "visual-review:rejection:" in body]
    assert len(plain) == 1
    assert "Visual Review: approved" in plain[0]
    assert len(rejections) == 1
    assert not HostMessage.objects.exclude(state="sent").exists()
    assert not HostMessage.objects.exclude(failure="").exists()


def decide(world: HostedWorld) -> None:
    world.notify()
    world.reject(world.build, "a")
    world.notify()
    world.approve(world.build)


def set_review_due_status(world: HostedWorld, state: str) -> None:
    settings = {
        "postsComments": True,
        "commentPictures": True,
        "reviewDueStatus": state,
        "allowsSkip": False,
    }
    world.act("set_repo_host", repoId=world.repository.id, **settings)


def settle(world: HostedWorld) -> None:
    for _ in range(40):
        world.notify_later()
        if not HostMessage.objects.filter(state="waiting").exists():
            return


def test_a_host_that_is_down_is_notified_when_it_is_back(world: HostedWorld) -> None:
    world.host.add_fault("busy")
    decide(world)
    for _ in range(4):
        world.notify_later()
    assert world.statuses() == {}
    waiting = HostMessage.objects.filter(state="waiting")
    assert waiting.exists()
    assert "does not respond" in waiting[0].failure
    assert waiting[0].next_try_at is not None
    world.host.clear_faults()
    settle(world)
    assert_right_and_single(world)


@pytest.mark.parametrize("every", [3, 4, 5])
def test_a_host_that_fails_now_and_then(world: HostedWorld, every: int) -> None:
    world.host.add_fault("busy", every=every)
    decide(world)
    settle(world)
    assert_right_and_single(world)


@pytest.mark.parametrize("every", [1, 2, 3])
def test_lost_responses_double_nothing(world: HostedWorld, every: int) -> None:
    world.host.add_fault(
        "busy",
        "add_comment",
        "edit_comment",
        "set_status",
        every=every,
        times=8,
        response_lost=True,
    )
    decide(world)
    settle(world)
    assert_right_and_single(world)


def test_a_response_in_html_is_tried_again_later(world: HostedWorld) -> None:
    world.host.add_fault("html", times=4)
    decide(world)
    settle(world)
    assert_right_and_single(world)


def test_a_rate_limit_is_honored_for_the_whole_account(world: HostedWorld) -> None:
    world.host.add_fault("busy", times=1, until=now() + timedelta(minutes=30))
    world.notify()
    calls = len(world.host.calls())
    assert calls == 1
    account = HostAccount.objects.get()
    assert account.paused_until is not None
    assert account.paused_until > now() + timedelta(minutes=29)
    world.publish({"a": "red"}, commit="d" * 40)
    world.reject(world.build, "a")
    world.notify()
    assert len(world.host.calls()) == calls
    world.approve(world.build)
    settle(world)
    assert_right_and_single(world)
    assert HostAccount.objects.get().paused_until is None


def test_a_pause_without_end_ends_after_an_hour(world: HostedWorld) -> None:
    world.host.add_fault("busy", times=1, until=now() + timedelta(days=4000))
    world.notify()
    paused = HostAccount.objects.get().paused_until
    assert paused is not None
    assert paused < now() + timedelta(hours=1, minutes=1)
    for message in HostMessage.objects.all():
        assert message.next_try_at is not None
        assert message.next_try_at <= paused


def test_a_host_that_always_asks_to_retry_at_once_is_given_a_pause(world: HostedWorld) -> None:
    world.host.add_fault("busy", until=now())
    world.notify()
    HostMessage.objects.update(attempts=20)
    world.notify_later()
    for message in HostMessage.objects.all():
        assert message.next_try_at is not None
        assert message.next_try_at > now() + LONGEST_PAUSE / 2


def test_a_status_that_changes_back_after_a_lost_response_is_sent_again(
    notified_world: HostedWorld,
) -> None:
    notified_world.host.add_fault("busy", "set_status", times=1, response_lost=True)
    set_review_due_status(notified_world, "failure")
    notified_world.notify()
    assert "failure" in notified_world.statuses().values()
    set_review_due_status(notified_world, "pending")
    settle(notified_world)
    assert set(notified_world.statuses().values()) == {"pending"}


def test_one_declined_status_blocks_nothing_else(world: HostedWorld) -> None:
    world.host.add_fault("declined", "set_status", times=1)
    world.notify()
    assert len(world.statuses()) == 1
    assert len(world.comments()) == 1
    assert world.message(state="failed").kind == "status"


def test_a_revoked_token_is_shown_and_blocks_no_message_for_good(world: HostedWorld) -> None:
    world.host.revoke(TOKEN)
    world.notify()
    account = HostAccount.objects.get()
    assert "does not accept this token" in account.problem
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"failed"}
    world.host.clear_faults()
    decide(world)
    settle(world)
    assert_right_and_single(world)
    assert HostAccount.objects.get().problem == ""


def test_one_refused_comment_leaves_statuses_alone(world: HostedWorld) -> None:
    world.host.add_fault("refused", "add_comment")
    world.notify()
    assert set(world.statuses().values()) == {"pending"}
    message = world.message(kind="comment")
    assert message.state == "failed"
    assert message.failure


def test_a_pull_request_that_is_gone_fails_its_comment_alone(empty_world: HostedWorld) -> None:
    empty_world.publish_change({"a": "red"})
    empty_world.notify()
    assert empty_world.statuses()["visual-review"] == "pending"
    assert "no pull request #1" in empty_world.message(kind="comment").failure


def test_a_url_that_is_not_allowed_any_more_is_shown(
    world: HostedWorld, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ()
    world.notify()
    assert "may not call" in world.message(kind="comment").failure
    assert "may not call" in HostAccount.objects.get().problem


def test_a_repository_that_is_gone_there_waits_until_it_is_back(world: HostedWorld) -> None:
    world.repository.host_problem = "The host has no such repository."
    world.repository.save()
    world.notify_later()
    assert not world.host.calls()
    assert world.message(kind="comment").failure == "The host has no such repository."
    world.repository.host_problem = ""
    world.repository.save()
    world.notify_later()
    assert len(world.comments()) == 1


def test_an_account_that_was_disconnected_drops_what_waits(world: HostedWorld) -> None:
    world.account.delete()
    world.notify()
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"dropped"}
    assert not world.host.calls()


def test_the_next_account_overwrites_no_comment_that_has_the_same_id(
    notified_world: HostedWorld,
) -> None:
    with transaction.atomic():
        disconnect_account(notified_world.account)
    # A host of its own, where someone else's comment happens to have the id of ours.
    world_of(ADDRESS, fresh=True)
    notified_world.host.add_repository(NAME)
    notified_world.open_pull_request()
    theirs = notified_world.host.write_comment(NAME, 1, "Mine")
    assert theirs.id == notified_world.message(kind="comment").reference
    account = HostAccount.objects.create(
        organization=notified_world.persona.organization,
        kind="memory",
        address=ADDRESS,
        credentials=encrypt_credentials({"token": TOKEN}),
    )
    link_repositories(account.id)
    notified_world.repository.refresh_from_db()
    notified_world.approve(Build.objects.get(pk=notified_world.build.pk))
    notified_world.notify()
    assert len(notified_world.comments()) == 2
    assert notified_world.comments()[0] == "Mine"
    assert "approved" in notified_world.comments()[1]


def test_a_worker_killed_between_post_and_note_posts_nothing_twice(
    world: HostedWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    add = MemoryHost.add_comment

    def killed(self: MemoryHost, full_name: str, number: int, body: str) -> None:
        add(self, full_name, number, body)
        raise KilledError

    world.reject(world.build, "a")
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(MemoryHost, "add_comment", killed)
            with pytest.raises(KilledError):
                world.notify()
        # The queue brings an interrupted job back.
        world.requeue()
    world.notify()
    world.approve(world.build)
    settle(world)
    assert_right_and_single(world)


def test_a_change_during_a_notification_is_sent_after_it(
    notified_world: HostedWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = MemoryHost.set_status
    decided = []

    def meanwhile(self: MemoryHost, full_name: str, commit: str, status: HostStatus) -> None:
        if not decided:
            decided.append(True)
            notified_world.approve(notified_world.build)
        send(self, full_name, commit, status)

    monkeypatch.setattr(MemoryHost, "set_status", meanwhile)
    notified_world.reject(notified_world.build, "a")
    notified_world.notify()
    assert_right_and_single(notified_world)


def test_pauses_grow_to_ten_minutes() -> None:
    pauses = [retry_pause(attempts) for attempts in range(MOST_ATTEMPTS)]
    assert pauses == sorted(pauses)
    assert pauses[0] < timedelta(seconds=5)
    assert pauses[-1] == LONGEST_PAUSE
    assert sum(pauses, timedelta()) > timedelta(days=7)


def test_after_a_week_without_success_it_is_given_up_with_a_message(world: HostedWorld) -> None:
    world.host.add_fault("busy")
    world.notify()
    HostMessage.objects.update(attempts=MOST_ATTEMPTS)
    for _ in range(5):
        world.notify_later()
        HostMessage.objects.filter(state="waiting").update(attempts=MOST_ATTEMPTS)
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"failed"}
    assert "Given up" in world.message(kind="comment").failure
