"""The page of the outbox: sent, waiting and failed messages, sending again, and the settings."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.support.host_accounts import TOKEN
from tests.support.hosted_world import NAME, HostedWorld
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import HostMessage
from visual_review.builds.notifying.outbox import send_failed_again
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError


@pytest.fixture
def admin(personas: Personas) -> Client:
    return signed_in(personas.alice)


def page_of(world: HostedWorld, client: Client, query: str = "") -> str:
    return text_of(client, f"/repositories/{world.repository.id}/outbox{query}")


def send_again(world: HostedWorld, client: Client, **wanted: object) -> None:
    message = world.message(**wanted)
    address = f"/repositories/{world.repository.id}/outbox/{message.id}"
    assert client.post(address).status_code == 302


def test_it_shows_what_waits_and_what_was_sent(world: HostedWorld, admin: Client) -> None:
    assert page_of(world, admin).count(">Waiting</span>") == 3
    world.notify()
    page = page_of(world, admin)
    assert page.count(">Sent</span>") == 3
    assert "Review needed: 1 new" in page
    assert "Comment on pull request #1" in page


def test_it_shows_what_failed_with_the_hosts_message_and_sends_it_again(
    world: HostedWorld, admin: Client
) -> None:
    world.host.add_fault("refused", "add_comment")
    world.notify()
    page = page_of(world, admin, "?state=failed")
    assert "The Git provider does not accept these credentials." in page
    assert "Failed (1)" in page
    assert "visual-review/default" not in page
    world.host.clear_faults()
    send_again(world, admin, kind="comment")
    world.notify()
    assert len(world.comments()) == 1
    entry = AuditEntry.objects.get(verb="host_message.sent_again")
    assert entry.before["state"] == "failed"


def test_it_shows_when_a_waiting_message_is_tried_next(world: HostedWorld, admin: Client) -> None:
    world.host.add_fault("busy")
    world.notify()
    page = page_of(world, admin, "?state=waiting")
    assert "The Git provider does not respond." in page
    assert "Tried 1 time, next" in page


def test_a_status_sent_again_reaches_the_host_though_it_is_equal(
    notified_world: HostedWorld, admin: Client
) -> None:
    sent = len(notified_world.host.calls("set_status"))
    send_again(notified_world, admin, context="visual-review")
    notified_world.notify()
    assert len(notified_world.host.calls("set_status")) == sent + 1


def test_a_comment_sent_again_is_edited_while_it_exists(world: HostedWorld, admin: Client) -> None:
    world.reject(world.build, "a")
    world.notify()
    send_again(world, admin, kind="comment")
    send_again(world, admin, kind="rejection")
    world.notify()
    assert len(world.comments()) == 2
    for comment in world.host.comments_of(NAME, 1):
        world.host.delete_comment(NAME, 1, comment.id)
    send_again(world, admin, kind="comment")
    send_again(world, admin, kind="rejection")
    world.notify()
    assert len(world.comments()) == 2


def test_nothing_is_sent_again_where_nothing_may_be_sent(world: HostedWorld) -> None:
    row = world.repository
    comment = world.message(kind="comment").id
    with pytest.raises(NotFoundError):
        world.act("send_again", repoId=row.id, messageId="message_unknown")
    row.posts_comments = False
    row.save()
    with pytest.raises(ConflictError, match="Comments are turned off"):
        world.act("send_again", repoId=row.id, messageId=comment)
    row.host_problem = "The host has no such repository."
    row.save()
    with pytest.raises(ConflictError, match="no such repository"):
        world.act("send_again", repoId=row.id, messageId=comment)
    row.host_account = None
    row.save()
    with pytest.raises(ConflictError, match="not connected"):
        world.act("send_again", repoId=row.id, messageId=comment)


def test_a_repaired_account_sends_all_that_failed(world: HostedWorld) -> None:
    world.host.revoke(TOKEN)
    world.notify()
    world.host.clear_faults()
    assert send_failed_again(world.account) == 3
    world.notify()
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_the_page_shows_the_problem_of_the_account(world: HostedWorld, admin: Client) -> None:
    world.host.revoke(TOKEN)
    world.notify()
    assert "rejected the last request: The Git provider does not accept this token" in page_of(
        world, admin
    )


def test_a_pause_is_shown_while_it_lasts(empty_world: HostedWorld, admin: Client) -> None:
    empty_world.account.paused_until = now() + timedelta(minutes=30)
    empty_world.account.save()
    assert "asked for no requests before" in page_of(empty_world, admin)
    empty_world.account.paused_until = now() - timedelta(seconds=1)
    empty_world.account.save()
    assert "asked for no requests before" not in page_of(empty_world, admin)


def test_a_repository_without_a_host_says_so(empty_world: HostedWorld, admin: Client) -> None:
    empty_world.repository.host_account = None
    empty_world.repository.save()
    assert "not connected to a Git provider" in page_of(empty_world, admin)


def test_the_page_of_a_build_shows_what_was_sent(
    notified_world: HostedWorld, admin: Client
) -> None:
    page = text_of(admin, f"/builds/{notified_world.build.id}")
    assert '<code>visual-review</code> <span class="muted">pending</span>' in page
    assert 'comment on #1 <span class="muted">posted</span>' in page


def test_the_settings_are_saved_logged_and_take_effect(
    notified_world: HostedWorld, admin: Client
) -> None:
    address = f"/repositories/{notified_world.repository.id}/host"
    form = {"postsComments": "on", "reviewDueStatus": "failure"}
    admin.post(address, form)
    notified_world.notify()
    assert set(notified_world.statuses().values()) == {"failure"}
    assert "<img" not in notified_world.comments()[0]
    entry = AuditEntry.objects.get(verb="repository.host_settings_changed")
    assert entry.before == {
        "postsComments": True,
        "commentPictures": True,
        "reviewDueStatus": "pending",
        "allowsSkip": False,
    }
    assert entry.after == {
        "postsComments": True,
        "commentPictures": False,
        "reviewDueStatus": "failure",
        "allowsSkip": False,
    }
    admin.post(address, form)
    assert AuditEntry.objects.filter(verb="repository.host_settings_changed").count() == 1
    page = text_of(admin, f"/repositories/{notified_world.repository.id}/settings")
    assert 'value="failure" checked' in page
    assert 'name="commentPictures">' in page


def test_turning_comments_off_drops_those_that_wait(world: HostedWorld) -> None:
    world.host.add_fault("busy")
    world.reject(world.build, "a")
    world.notify()
    off = {
        "repoId": world.repository.id,
        "postsComments": False,
        "commentPictures": True,
        "reviewDueStatus": "pending",
        "allowsSkip": False,
    }
    world.act("set_repo_host", **off)
    assert world.message(kind="rejection").state == "dropped"
    world.host.clear_faults()
    world.repository.refresh_from_db()
    world.notify_later()
    assert world.comments() == []
    world.act("set_repo_host", **{**off, "postsComments": True})
    world.notify_later()
    # The counts come with the setting; the message of then does not.
    assert [body.count("rejected** by") for body in world.comments()] == [0]


def test_a_setting_that_does_not_exist_is_refused_with_a_message(
    empty_world: HostedWorld, admin: Client
) -> None:
    address = f"/repositories/{empty_world.repository.id}/host"
    page = admin.post(address, {"reviewDueStatus": "sideways"}, follow=True)
    assert b"reviewDueStatus" in page.content
    assert not AuditEntry.objects.exists()
