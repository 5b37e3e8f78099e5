"""Whatever the host does, in the end statuses and comments are right and single."""

from datetime import timedelta

import pytest
from django.db import transaction

from tests.actions.telling.hosted import ADDRESS, COMMIT, NAME, Hosted
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Build
from visual_review.hosts.memory import MemoryHost, world_of
from visual_review.hosts.port import HostStatus
from visual_review.jobs.link_repositories import link_repositories
from visual_review.jobs.tell_host import LONGEST_PAUSE, MOST_ATTEMPTS, pause_after
from visual_review.kernel.clock import now
from visual_review.repositories.host_accounts import disconnect_account, sealed_credentials
from visual_review.repositories.models import HostAccount


def published(here: Hosted) -> Build:
    here.pull_request()
    return here.world.publish({"a": "red", "b": "blue"}, "feature", target="main", commit=COMMIT)


def right_and_single(here: Hosted) -> None:
    assert set(here.statuses().values()) == {"success"}
    plain = [body for body in here.comments() if "visual-review:comment:" in body]
    words = [body for body in here.comments() if "visual-review:rejection:" in body]
    assert len(plain) == 1
    assert "Visual Review: approved" in plain[0]
    assert len(words) == 1
    assert not HostMessage.objects.exclude(state="sent").exists()
    assert not HostMessage.objects.exclude(failure="").exists()


def decide(here: Hosted, build: Build) -> None:
    here.run()
    here.reject(build, "a")
    here.run()
    here.approve(build)


def due(here: Hosted, state: str) -> None:
    settings = {"postsComments": True, "commentPictures": True, "reviewDueStatus": state}
    here.world.act("set_repo_host", repoId=here.world.repository.id, **settings)


def settle(here: Hosted) -> None:
    for _ in range(40):
        here.pass_time()
        if not HostMessage.objects.filter(state="waiting").exists():
            return


def test_a_host_that_is_down_is_told_when_it_is_back(here: Hosted) -> None:
    here.host.disturb("busy")
    decide(here, published(here))
    for _ in range(10):
        here.pass_time()
    assert here.statuses() == {}
    waiting = HostMessage.objects.filter(state="waiting")
    assert waiting.exists()
    assert "does not answer" in waiting[0].failure
    assert waiting[0].next_try_at is not None
    here.host.calm()
    settle(here)
    right_and_single(here)


@pytest.mark.parametrize("every", [3, 4, 5])
def test_a_host_that_fails_now_and_then(here: Hosted, every: int) -> None:
    here.host.disturb("busy", every=every)
    decide(here, published(here))
    settle(here)
    right_and_single(here)


@pytest.mark.parametrize("every", [1, 2, 3])
def test_lost_answers_double_nothing(here: Hosted, every: int) -> None:
    here.host.disturb(
        "busy", "add_comment", "edit_comment", "set_status", every=every, times=8, answer_lost=True
    )
    decide(here, published(here))
    settle(here)
    right_and_single(here)


def test_a_page_of_html_is_waited_out_and_told_in_words(here: Hosted) -> None:
    here.host.disturb("html", times=4)
    decide(here, published(here))
    settle(here)
    right_and_single(here)


def test_a_limited_rate_is_honoured_by_all_of_the_account(here: Hosted) -> None:
    here.host.disturb("busy", times=1, until=now() + timedelta(minutes=30))
    build = published(here)
    here.run()
    calls = len(here.host.calls())
    assert calls == 1
    account = HostAccount.objects.get()
    assert account.paused_until is not None
    assert account.paused_until > now() + timedelta(minutes=29)
    here.world.publish({"a": "red"}, commit="d" * 40)
    here.reject(build, "a")
    here.run()
    assert len(here.host.calls()) == calls
    here.approve(build)
    settle(here)
    right_and_single(here)
    assert HostAccount.objects.get().paused_until is None


def test_a_pause_without_end_ends_after_an_hour(here: Hosted) -> None:
    here.host.disturb("busy", times=1, until=now() + timedelta(days=4000))
    published(here)
    here.run()
    paused = HostAccount.objects.get().paused_until
    assert paused is not None
    assert paused < now() + timedelta(hours=1, minutes=1)
    for message in HostMessage.objects.all():
        assert message.next_try_at is not None
        assert message.next_try_at <= paused


def test_a_host_that_says_at_once_each_time_is_left_its_pause(here: Hosted) -> None:
    here.host.disturb("busy", until=now())
    published(here)
    here.run()
    HostMessage.objects.update(attempts=20)
    here.pass_time()
    for message in HostMessage.objects.all():
        assert message.next_try_at is not None
        assert message.next_try_at > now() + LONGEST_PAUSE / 2


def test_words_that_change_back_after_a_lost_answer_are_told_again(here: Hosted) -> None:
    published(here)
    here.run()
    here.host.disturb("busy", "set_status", times=1, answer_lost=True)
    due(here, "failure")
    here.run()
    assert "failure" in here.statuses().values()
    due(here, "pending")
    settle(here)
    assert set(here.statuses().values()) == {"pending"}


def test_one_declined_status_holds_nothing_up(here: Hosted) -> None:
    here.host.disturb("declined", "set_status", times=1)
    published(here)
    here.run()
    assert len(here.statuses()) == 1
    assert len(here.comments()) == 1
    assert here.message(state="failed").kind == "status"


def test_a_revoked_token_is_told_and_blocks_no_other_message_for_good(here: Hosted) -> None:
    here.host.revoke("secret")
    build = published(here)
    here.run()
    account = HostAccount.objects.get()
    assert "does not accept this token" in account.problem
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"failed"}
    here.host.calm()
    decide(here, build)
    settle(here)
    right_and_single(here)
    assert HostAccount.objects.get().problem == ""


def test_one_refused_comment_leaves_statuses_alone(here: Hosted) -> None:
    here.host.disturb("refused", "add_comment")
    published(here)
    here.run()
    assert set(here.statuses().values()) == {"pending"}
    message = here.message(kind="comment")
    assert message.state == "failed"
    assert message.failure


def test_a_pull_request_that_is_gone_fails_its_comment_alone(here: Hosted) -> None:
    here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    here.run()
    assert here.statuses()["visual-review"] == "pending"
    assert "no pull request #1" in here.message(kind="comment").failure


def test_an_address_that_is_not_allowed_any_more_is_told(
    here: Hosted, settings: pytest.FixtureRequest
) -> None:
    settings.SOURCE_HOSTS = ()
    published(here)
    here.run()
    assert "may not call" in here.message(kind="comment").failure
    assert "may not call" in HostAccount.objects.get().problem


def test_a_repository_that_is_gone_there_waits_until_it_is_back(here: Hosted) -> None:
    published(here)
    here.world.repository.host_problem = "The host has no such repository."
    here.world.repository.save()
    here.pass_time()
    assert not here.host.calls()
    assert here.message(kind="comment").failure == "The host has no such repository."
    here.world.repository.host_problem = ""
    here.world.repository.save()
    here.pass_time()
    assert len(here.comments()) == 1


def test_an_account_that_was_disconnected_drops_what_waits(here: Hosted) -> None:
    published(here)
    here.account.delete()
    here.run()
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"dropped"}
    assert not here.host.calls()


def test_the_next_account_overwrites_no_comment_that_has_the_same_id(here: Hosted) -> None:
    build = published(here)
    here.run()
    with transaction.atomic():
        disconnect_account(here.account)
    # A host of its own, where somebody else's comment happens to have the id of ours.
    here.host = world_of(ADDRESS, fresh=True)
    here.host.add_repository(NAME)
    here.pull_request()
    theirs = here.host.write_comment(NAME, 1, "Mine")
    assert theirs.id == here.message(kind="comment").reference
    account = HostAccount.objects.create(
        organization=here.world.persona.organization,
        kind="memory",
        address=ADDRESS,
        credentials=sealed_credentials({"token": "secret"}),
    )
    link_repositories(account.id)
    here.world.repository.refresh_from_db()
    here.approve(Build.objects.get(pk=build.pk))
    here.run()
    assert len(here.comments()) == 2
    assert here.comments()[0] == "Mine"
    assert "approved" in here.comments()[1]


def test_a_worker_killed_between_post_and_note_posts_nothing_twice(
    here: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    add = MemoryHost.add_comment

    def killed(self: MemoryHost, full_name: str, number: int, body: str) -> None:
        add(self, full_name, number, body)
        raise KilledError

    build = published(here)
    here.reject(build, "a")
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(MemoryHost, "add_comment", killed)
            with pytest.raises(KilledError):
                here.run()
        # The queue brings a cut job back.
        here.give_back()
    here.run()
    here.approve(build)
    settle(here)
    right_and_single(here)


def test_a_change_while_the_host_is_told_is_told_after_it(
    here: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = published(here)
    here.run()
    send = MemoryHost.set_status
    decided = []

    def meanwhile(self: MemoryHost, full_name: str, commit: str, status: HostStatus) -> None:
        if not decided:
            decided.append(True)
            here.approve(build)
        send(self, full_name, commit, status)

    monkeypatch.setattr(MemoryHost, "set_status", meanwhile)
    here.reject(build, "a")
    here.run()
    right_and_single(here)


def test_pauses_grow_to_ten_minutes() -> None:
    pauses = [pause_after(attempts) for attempts in range(MOST_ATTEMPTS)]
    assert pauses == sorted(pauses)
    assert pauses[0] < timedelta(seconds=5)
    assert pauses[-1] == LONGEST_PAUSE
    assert sum(pauses, timedelta()) > timedelta(days=7)


def test_after_a_week_in_vain_it_is_given_up_in_words(here: Hosted) -> None:
    here.host.disturb("busy")
    published(here)
    here.run()
    HostMessage.objects.update(attempts=MOST_ATTEMPTS)
    for _ in range(5):
        here.pass_time()
        HostMessage.objects.filter(state="waiting").update(attempts=MOST_ATTEMPTS)
    assert set(HostMessage.objects.values_list("state", flat=True)) == {"failed"}
    assert "Given up" in here.message(kind="comment").failure
