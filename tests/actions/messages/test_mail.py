"""Members get mail about their builds, at once or once a day, and end the mail with one request."""

import re
import shutil
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from tests.support.action_calls import act
from tests.support.pages import path_of, signed_in, text_of
from tests.support.personas import Personas
from tests.support.receivers import run_jobs
from tests.support.worlds import World
from visual_review.accounts.models import Membership
from visual_review.audit.models import AuditEntry
from visual_review.jobs.messages.deliver_messages import resume_messages
from visual_review.jobs.messages.watch_storage import watch_storage
from visual_review.messages.event_types import MAIL_TYPES
from visual_review.messages.mailboxes import DIGEST_HOUR_UTC, next_digest
from visual_review.messages.models import Channel, Delivery, Event


@pytest.fixture(autouse=True)
def mail_server(settings: Settings) -> None:
    settings.EMAIL_CONFIGURED = True


def ask_bob(world: World) -> str:
    build = world.publish({"a": "red"})
    world.act("request_review", buildId=build.id, reviewers=["Bob"])
    return str(build.id)


def sent() -> list[EmailMessage]:
    """Run the jobs, and return the mail since the last call."""
    run_jobs()
    found = list(mail.outbox)
    mail.outbox.clear()
    return found


def link_of(message: EmailMessage) -> str:
    return path_of(message.extra_headers["List-Unsubscribe"].strip("<>"))


def test_the_member_who_is_asked_gets_a_mail_and_no_one_else(world: World) -> None:
    build_id = ask_bob(world)
    (message,) = sent()
    assert message.to == ["bob@example.com"]
    assert message.subject == "[Visual Review] Alice asks for a review of acme/web build #1"
    assert f"/builds/{build_id}" in message.body
    assert sent() == []


def test_a_later_build_and_the_decision_of_another_concern_them_too(world: World) -> None:
    ask_bob(world)
    sent()
    build = world.publish({"a": "blue"})
    (message,) = sent()
    assert message.subject == "[Visual Review] acme/web build #2 needs your review"
    world.approve(build)
    (message,) = sent()
    assert message.subject == "[Visual Review] acme/web build #2 is approved, by Alice"


def test_mail_waits_while_no_mail_server_is_configured(world: World, settings: Settings) -> None:
    ask_bob(world)
    settings.EMAIL_CONFIGURED = False
    assert sent() == []
    settings.EMAIL_CONFIGURED = True
    Channel.objects.update(retry_at=None)
    watch = Delivery.objects.get()
    assert (watch.state, watch.sent_at) == ("waiting", None)
    resume_messages(0)
    assert len(sent()) == 1


def test_mentions_and_replies_are_mailed_but_not_to_their_author(
    personas: Personas, world: World
) -> None:
    build = world.publish({"a": "red"})
    shot = world.shot(build, "a").id
    written = world.act("write_comment", screenshotId=shot, text="Ask @Bob and @Alice")
    (message,) = sent()
    assert message.to == ["bob@example.com"]
    assert "Ask @Bob" in message.body
    reply = {"threadId": written.thread_id, "text": "It is fine."}  # type: ignore[attr-defined]
    act(personas.bob, "write_comment", **reply)
    (message,) = sent()
    assert (message.to, "It is fine." in message.body) == (["alice@example.com"], True)


def test_a_mention_in_a_rejection_is_mailed(world: World) -> None:
    build = world.publish({"a": "red"})
    shot = world.shot(build, "a").id
    decision = {"state": "rejected", "comment": "Too red, @Bob"}
    world.act("review_screenshot", screenshotId=shot, **decision)
    assert [each.to for each in sent()] == [["bob@example.com"]]


def test_a_digest_waits_for_the_morning_and_is_one_mail(personas: Personas, world: World) -> None:
    act(personas.bob, "set_mail", types=["review.requested", "build.needs_review"], isDigest=True)
    ask_bob(world)
    world.publish({"a": "blue"})
    waiting = Delivery.objects.filter(channel__user=personas.bob.user)
    assert {each.next_try_at for each in waiting} == {
        next_digest(Event.objects.latest("pk").created_at)
    }
    (message,) = sent()
    assert message.subject == "[Visual Review] 2 messages"
    assert message.body.index("build #1") < message.body.index("build #2")


def test_kinds_that_are_off_and_former_members_get_nothing(
    personas: Personas, world: World
) -> None:
    act(personas.bob, "set_mail", types=["mentioned"], isDigest=False)
    ask_bob(world)
    assert sent() == []
    world.act(
        "write_comment", screenshotId=world.shot(world.publish({"a": "blue"}), "a").id, text="@Bob"
    )
    Membership.objects.filter(user=personas.bob.user).delete()
    assert sent() == []
    assert not Delivery.objects.filter(state="waiting").exists()


def test_without_a_mail_server_nothing_waits(world: World, settings: Settings) -> None:
    settings.EMAIL_CONFIGURED = False
    ask_bob(world)
    assert not Delivery.objects.exists()


def test_mail_that_the_server_refused_is_sent_later(world: World) -> None:
    ask_bob(world)
    with patch.object(EmailMessage, "send", side_effect=OSError("greylisted")):
        assert sent() == []
    row = Delivery.objects.get()
    assert (row.state, row.failure) == ("waiting", "greylisted")
    assert len(sent()) == 1
    assert Delivery.objects.get().state == "sent"


def test_one_request_without_a_session_ends_mail(personas: Personas, world: World) -> None:
    ask_bob(world)
    (message,) = sent()
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    client, path = Client(enforce_csrf_checks=True), link_of(message)
    assert "Get no more mail?" in text_of(client, path)
    world.publish({"a": "blue"})
    assert len(sent()) == 1
    for _ in range(2):
        response = client.post(path, {"List-Unsubscribe": "One-Click"})
        assert (response.status_code, "No more mail" in response.content.decode()) == (200, True)
    world.publish({"a": "white"})
    assert sent() == []
    entry = AuditEntry.objects.get(verb="mail.changed")
    assert entry.actor_name == "Bob"
    assert Client().post(path[:-1] + ("a" if path[-1] != "a" else "b")).status_code == 404
    # Who is not a member any more ends nothing, and sees no error.
    Membership.objects.filter(user=personas.bob.user).delete()
    assert client.post(path).status_code == 200


def test_the_page_shows_and_stores_the_choice(personas: Personas) -> None:
    client = signed_in(personas.bob)
    assert text_of(client, "/account/mail").count('name="types"') == len(MAIL_TYPES)
    saved = client.post("/account/mail", {"types": ["mentioned"], "when": "daily"}, follow=True)
    assert "Your choice was saved." in saved.content.decode()
    box = Channel.objects.get(user=personas.bob.user)
    assert (box.types, box.is_digest) == (["mentioned"], True)
    assert client.post("/account/mail", {"types": ["x"], "when": "daily"}).status_code == 400
    assert "Mail to you" not in text_of(signed_in(personas.alice), "/messages")


@pytest.mark.parametrize("free", [5, 50])
def test_admins_get_a_mail_once_a_day_when_the_disk_is_nearly_full(
    personas: Personas, free: int
) -> None:
    usage = SimpleNamespace(total=100 * 10**9, free=free * 10**9)
    reported = (usage.total, usage.total - usage.free, usage.free)
    with patch.object(shutil, "disk_usage", return_value=reported):
        watch_storage(0)
        watch_storage(0)
    found = sent()
    organization = personas.alice.organization
    addressed = {each.to[0] for each in found}
    if free > usage.total // 10**10:
        assert found == []
    else:
        assert len(found) == len(addressed)
        assert {"alice@example.com"} <= addressed
        assert "bob@example.com" not in addressed
        assert "5,000 of 100,000 MB are free" in found[0].body
        assert Event.objects.filter(organization=organization).count() == 1


@given(st.datetimes(timezones=st.just(UTC)))
def test_the_next_digest_is_within_a_day(moment: datetime) -> None:
    if moment > datetime(9990, 1, 1, tzinfo=UTC):
        return
    digest = next_digest(moment)
    assert timedelta(0) < digest - moment <= timedelta(days=1)
    assert (digest.hour, digest.minute) == (DIGEST_HOUR_UTC, 0)


def test_a_subject_is_one_line(world: World, personas: Personas) -> None:
    build = world.publish({"a": "red"}, branch="two words")
    personas.alice.user.name = "Eve\u2028Bcc"
    world.act("request_review", buildId=build.id, reviewers=["Bob"])
    (message,) = sent()
    assert re.fullmatch(r"[^\r\n]*", str(message.subject))
