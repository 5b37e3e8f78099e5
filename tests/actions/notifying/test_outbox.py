"""The page of the outbox: what was sent, waits or failed, sending again, and the settings."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.support.host_accounts import TOKEN
from tests.support.hosts.connected_repository import (
    NAME,
    ConnectedRepository,
    repository_with_build,
)
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import HostMessage
from visual_review.builds.notifying.messages import send_failed_again
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError

SHOTS = {"a": "red"}


@pytest.fixture
def repository(personas: Personas) -> ConnectedRepository:
    """The host knows nothing yet of the build in review."""
    return repository_with_build(personas.alice, SHOTS)


@pytest.fixture
def notified_repository(personas: Personas) -> ConnectedRepository:
    """The host was notified of the build in review."""
    return repository_with_build(personas.alice, SHOTS, delivered=True)


@pytest.fixture
def admin(personas: Personas) -> Client:
    return signed_in(personas.alice)


def page_of(repository: ConnectedRepository, client: Client, query: str = "") -> str:
    return text_of(client, f"/repositories/{repository.row.id}/outbox{query}")


def send_again(repository: ConnectedRepository, client: Client, **wanted: object) -> None:
    message = repository.message(**wanted)
    address = f"/repositories/{repository.row.id}/outbox/{message.id}"
    assert client.post(address).status_code == 302


def test_it_shows_what_waits_and_what_was_sent(
    repository: ConnectedRepository, admin: Client
) -> None:
    assert page_of(repository, admin).count(">Waiting</span>") == 3
    repository.run_jobs()
    page = page_of(repository, admin)
    assert page.count(">Sent</span>") == 3
    assert "Review needed: 1 new" in page
    assert "Comment on pull request #1" in page


def test_it_shows_what_failed_with_the_hosts_message_and_sends_it_again(
    repository: ConnectedRepository, admin: Client
) -> None:
    repository.host.add_fault("refused", "add_comment")
    repository.run_jobs()
    page = page_of(repository, admin, "?state=failed")
    assert "The Git provider does not accept these credentials." in page
    assert "Failed (1)" in page
    assert "visual-review/default" not in page
    repository.host.clear_faults()
    send_again(repository, admin, kind="comment")
    repository.run_jobs()
    assert len(repository.comments()) == 1
    entry = AuditEntry.objects.get(verb="host_message.sent_again")
    assert entry.before["state"] == "failed"


def test_it_shows_when_a_waiting_message_is_tried_next(
    repository: ConnectedRepository, admin: Client
) -> None:
    repository.host.add_fault("busy")
    repository.run_jobs()
    page = page_of(repository, admin, "?state=waiting")
    assert "The Git provider does not respond." in page
    assert "Tried 1 time, next" in page


def test_a_status_sent_again_reaches_the_host_though_it_is_equal(
    notified_repository: ConnectedRepository, admin: Client
) -> None:
    sent = len(notified_repository.host.calls("set_status"))
    send_again(notified_repository, admin, context="visual-review")
    notified_repository.run_jobs()
    assert len(notified_repository.host.calls("set_status")) == sent + 1


def test_a_comment_sent_again_is_edited_while_it_exists(
    repository: ConnectedRepository, admin: Client
) -> None:
    repository.reject(repository.build, "a")
    repository.run_jobs()
    send_again(repository, admin, kind="comment")
    send_again(repository, admin, kind="rejection")
    repository.run_jobs()
    assert len(repository.comments()) == 2
    for comment in repository.host.comments_of(NAME, 1):
        repository.host.delete_comment(NAME, 1, comment.id)
    send_again(repository, admin, kind="comment")
    send_again(repository, admin, kind="rejection")
    repository.run_jobs()
    assert len(repository.comments()) == 2


def test_nothing_is_sent_again_where_nothing_may_be_sent(repository: ConnectedRepository) -> None:
    world, row = repository.world, repository.row
    comment = repository.message(kind="comment").id
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


def test_a_repaired_account_sends_all_that_failed(repository: ConnectedRepository) -> None:
    repository.host.revoke(TOKEN)
    repository.run_jobs()
    repository.host.clear_faults()
    assert send_failed_again(repository.account) == 3
    repository.run_jobs()
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_the_page_shows_the_problem_of_the_account(
    repository: ConnectedRepository, admin: Client
) -> None:
    repository.host.revoke(TOKEN)
    repository.run_jobs()
    assert "rejected the last request: The Git provider does not accept this token" in page_of(
        repository, admin
    )


def test_a_pause_is_shown_while_it_lasts(
    empty_repository: ConnectedRepository, admin: Client
) -> None:
    empty_repository.account.paused_until = now() + timedelta(minutes=30)
    empty_repository.account.save()
    assert "asked for no requests before" in page_of(empty_repository, admin)
    empty_repository.account.paused_until = now() - timedelta(seconds=1)
    empty_repository.account.save()
    assert "asked for no requests before" not in page_of(empty_repository, admin)


def test_a_repository_without_a_host_says_so(
    empty_repository: ConnectedRepository, admin: Client
) -> None:
    empty_repository.row.host_account = None
    empty_repository.row.save()
    assert "not connected to a Git provider" in page_of(empty_repository, admin)


def test_the_page_of_a_build_shows_what_was_sent(
    notified_repository: ConnectedRepository, admin: Client
) -> None:
    page = text_of(admin, f"/builds/{notified_repository.build.id}")
    assert '<code>visual-review</code> <span class="muted">pending</span>' in page
    assert 'comment on #1 <span class="muted">posted</span>' in page


def test_the_settings_are_saved_logged_and_take_effect(
    notified_repository: ConnectedRepository, admin: Client
) -> None:
    address = f"/repositories/{notified_repository.row.id}/host"
    form = {"postsComments": "on", "reviewDueStatus": "failure"}
    admin.post(address, form)
    notified_repository.run_jobs()
    assert set(notified_repository.statuses().values()) == {"failure"}
    assert "<img" not in notified_repository.comments()[0]
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
    page = text_of(admin, f"/repositories/{notified_repository.row.id}/settings")
    assert 'value="failure" checked' in page
    assert 'name="commentPictures">' in page


def test_turning_comments_off_drops_those_that_wait(repository: ConnectedRepository) -> None:
    repository.host.add_fault("busy")
    repository.reject(repository.build, "a")
    repository.run_jobs()
    off = {
        "repoId": repository.row.id,
        "postsComments": False,
        "commentPictures": True,
        "reviewDueStatus": "pending",
        "allowsSkip": False,
    }
    repository.world.act("set_repo_host", **off)
    assert repository.message(kind="rejection").state == "dropped"
    repository.host.clear_faults()
    repository.row.refresh_from_db()
    repository.pass_time()
    assert repository.comments() == []
    repository.world.act("set_repo_host", **{**off, "postsComments": True})
    repository.pass_time()
    # The counts come with the setting; the message of then does not.
    assert [body.count("rejected** by") for body in repository.comments()] == [0]


def test_a_setting_that_does_not_exist_is_refused_with_a_message(
    empty_repository: ConnectedRepository, admin: Client
) -> None:
    address = f"/repositories/{empty_repository.row.id}/host"
    page = admin.post(address, {"reviewDueStatus": "sideways"}, follow=True)
    assert b"reviewDueStatus" in page.content
    assert not AuditEntry.objects.exists()
