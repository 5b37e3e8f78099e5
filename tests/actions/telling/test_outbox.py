"""The outbox for people: what was sent, what waits, what failed, sending again, and the settings."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.actions.telling.hosted import COMMIT, NAME, Hosted
from tests.doors.pages import signed_in, text_of
from tests.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Build
from visual_review.builds.outbox import send_failed_again
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError


@pytest.fixture
def admin(personas: Personas) -> Client:
    return signed_in(personas.alice)


def published(here: Hosted) -> Build:
    here.pull_request()
    return here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)


def page_of(here: Hosted, client: Client, query: str = "") -> str:
    return text_of(client, f"/repositories/{here.world.repository.id}/outbox{query}")


def again(here: Hosted, client: Client, **wanted: object) -> None:
    message = here.message(**wanted)
    address = f"/repositories/{here.world.repository.id}/outbox/{message.id}"
    assert client.post(address).status_code == 302


def test_it_shows_what_waits_and_what_was_sent(here: Hosted, admin: Client) -> None:
    published(here)
    assert page_of(here, admin).count(">Waiting</span>") == 3
    here.run()
    page = page_of(here, admin)
    assert page.count(">Sent</span>") == 3
    assert "Review needed: 1 new" in page
    assert "Comment on pull request #1" in page


def test_it_shows_what_failed_with_the_hosts_words_and_sends_it_again(
    here: Hosted, admin: Client
) -> None:
    here.host.disturb("refused", "add_comment")
    published(here)
    here.run()
    page = page_of(here, admin, "?state=failed")
    assert "The host does not accept these credentials." in page
    assert "Failed (1)" in page
    assert "visual-review/default" not in page
    here.host.calm()
    again(here, admin, kind="comment")
    here.run()
    assert len(here.comments()) == 1
    entry = AuditEntry.objects.get(verb="host_message.sent_again")
    assert entry.before["state"] == "failed"


def test_it_shows_when_a_waiting_message_is_tried_next(here: Hosted, admin: Client) -> None:
    here.host.disturb("busy")
    published(here)
    here.run()
    page = page_of(here, admin, "?state=waiting")
    assert "The host does not answer." in page
    assert "Tried 1 time, next" in page


def test_a_status_sent_again_reaches_the_host_though_its_words_are_equal(
    here: Hosted, admin: Client
) -> None:
    published(here)
    here.run()
    sent = len(here.host.calls("set_status"))
    again(here, admin, context="visual-review")
    here.run()
    assert len(here.host.calls("set_status")) == sent + 1


def test_a_comment_sent_again_is_edited_while_it_stands(here: Hosted, admin: Client) -> None:
    build = published(here)
    here.reject(build, "a")
    here.run()
    again(here, admin, kind="comment")
    again(here, admin, kind="rejection")
    here.run()
    assert len(here.comments()) == 2
    for comment in here.host.comments_of(NAME, 1):
        here.host.delete_comment(NAME, 1, comment.id)
    again(here, admin, kind="comment")
    again(here, admin, kind="rejection")
    here.run()
    assert len(here.comments()) == 2


def test_nothing_is_sent_again_where_nothing_may_be_sent(here: Hosted) -> None:
    published(here)
    repository = here.world.repository
    comment = here.message(kind="comment").id
    with pytest.raises(NotFoundError):
        here.world.act("send_again", repoId=repository.id, messageId="message_unknown")
    repository.posts_comments = False
    repository.save()
    with pytest.raises(ConflictError, match="Comments are off"):
        here.world.act("send_again", repoId=repository.id, messageId=comment)
    repository.host_problem = "The host has no such repository."
    repository.save()
    with pytest.raises(ConflictError, match="no such repository"):
        here.world.act("send_again", repoId=repository.id, messageId=comment)
    repository.host_account = None
    repository.save()
    with pytest.raises(ConflictError, match="not connected"):
        here.world.act("send_again", repoId=repository.id, messageId=comment)


def test_a_mended_account_sends_all_that_failed(here: Hosted) -> None:
    published(here)
    here.host.revoke("secret")
    here.run()
    here.host.calm()
    assert send_failed_again(here.account) == 3
    here.run()
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_the_page_names_the_trouble_of_the_account(here: Hosted, admin: Client) -> None:
    published(here)
    here.host.revoke("secret")
    here.run()
    assert "refused the last call: The host does not accept this token" in page_of(here, admin)


def test_a_pause_is_shown_while_it_lasts(here: Hosted, admin: Client) -> None:
    here.account.paused_until = now() + timedelta(minutes=30)
    here.account.save()
    assert "asked not to be called before" in page_of(here, admin)
    here.account.paused_until = now() - timedelta(seconds=1)
    here.account.save()
    assert "asked not to be called before" not in page_of(here, admin)


def test_a_repository_without_a_host_says_so(here: Hosted, admin: Client) -> None:
    here.world.repository.host_account = None
    here.world.repository.save()
    assert "not connected to a source host" in page_of(here, admin)


def test_the_page_of_a_build_says_what_was_told(here: Hosted, admin: Client) -> None:
    build = published(here)
    here.run()
    page = text_of(admin, f"/builds/{build.id}")
    assert '<code>visual-review</code> <span class="muted">pending</span>' in page
    assert 'comment on #1 <span class="muted">posted</span>' in page


def test_the_settings_are_saved_logged_and_take_effect(here: Hosted, admin: Client) -> None:
    published(here)
    here.run()
    address = f"/repositories/{here.world.repository.id}/host"
    form = {"postsComments": "on", "reviewDueStatus": "failure"}
    admin.post(address, form)
    here.run()
    assert set(here.statuses().values()) == {"failure"}
    assert "<img" not in here.comments()[0]
    entry = AuditEntry.objects.get(verb="repository.host_settings_changed")
    assert entry.before == {
        "postsComments": True,
        "commentPictures": True,
        "reviewDueStatus": "pending",
    }
    assert entry.after == {
        "postsComments": True,
        "commentPictures": False,
        "reviewDueStatus": "failure",
    }
    admin.post(address, form)
    assert AuditEntry.objects.filter(verb="repository.host_settings_changed").count() == 1
    page = text_of(admin, f"/repositories/{here.world.repository.id}/settings")
    assert 'value="failure" checked' in page
    assert 'name="commentPictures">' in page


def test_turning_comments_off_lets_go_of_those_that_wait(here: Hosted) -> None:
    here.host.disturb("busy")
    here.reject(published(here), "a")
    here.run()
    off = {
        "repoId": here.world.repository.id,
        "postsComments": False,
        "commentPictures": True,
        "reviewDueStatus": "pending",
    }
    here.world.act("set_repo_host", **off)
    assert here.message(kind="rejection").state == "dropped"
    here.host.calm()
    here.world.repository.refresh_from_db()
    here.pass_time()
    assert here.comments() == []
    here.world.act("set_repo_host", **{**off, "postsComments": True})
    here.pass_time()
    # The counts come with the setting; the words of then do not.
    assert [body.count("rejected** by") for body in here.comments()] == [0]


def test_a_setting_that_does_not_exist_is_refused_in_words(here: Hosted, admin: Client) -> None:
    address = f"/repositories/{here.world.repository.id}/host"
    page = admin.post(address, {"reviewDueStatus": "sideways"}, follow=True)
    assert b"reviewDueStatus" in page.content
    assert not AuditEntry.objects.exists()
