"""Mails for a forgotten password: no one can flood a mailbox, or keep a person from the link."""

import pytest
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.clock import Clock
from tests.support.pages import path_of, sign_in
from tests.support.personas import Personas
from visual_review.accounts.attempt_rules import FREE_TURNS
from visual_review.accounts.attempts import Origin, begin_sign_in, may_mail_link
from visual_review.accounts.links import password_link, password_token
from visual_review.kernel.errors import TooManyAttemptsError

ATTACKER = "198.51.100.7"
HOME = "192.0.2.1"
NEW_PASSWORD = "a new and much longer password"
DAY_MINUTES = 24 * 60


@pytest.fixture(autouse=True)
def mail(settings: Settings) -> None:
    settings.EMAIL_CONFIGURED = True


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def request_link(address: str, email: str) -> int:
    browser = Client(REMOTE_ADDR=address)
    return browser.post("/password/forgotten", {"email": email}).status_code


def known_browser(email: str) -> Client:
    browser = Client(REMOTE_ADDR=HOME)
    assert sign_in(browser, email).status_code == 302
    browser.post("/sign-out")
    return browser


def test_a_mailbox_gets_a_few_mails_a_day_however_many_networks_ask(
    personas: Personas, clock: Clock
) -> None:
    email = personas.bob.user.email
    mails = 0
    for minute in range(0, DAY_MINUTES, 10):
        mails += may_mail_link(Origin(email, f"10.0.{minute // 256}.{minute % 256}"))
        clock.advance(minutes=10)
    assert 20 < mails <= 30


def test_beyond_the_limit_the_page_says_the_same_and_sends_nothing(
    personas: Personas, clock: Clock
) -> None:
    email = personas.bob.user.email
    for _ in range(3):
        assert may_mail_link(Origin(email, ATTACKER))
    assert request_link(HOME, email) == 302
    assert not ProcrastinateJob.objects.exists()
    clock.advance(minutes=5)
    assert request_link(HOME, email) == 302
    assert ProcrastinateJob.objects.get().args == {"user_id": personas.bob.user.id}


def test_a_known_device_gets_its_mail_during_a_flood(personas: Personas) -> None:
    email = personas.bob.user.email
    browser = known_browser(email)
    while may_mail_link(Origin(email, ATTACKER)):
        pass
    browser.post("/password/forgotten", {"email": email})
    assert ProcrastinateJob.objects.get().args == {"user_id": personas.bob.user.id}


def test_one_network_is_paused_and_told_for_how_long(personas: Personas) -> None:
    emails = [f"person{number}@example.com" for number in range(20)]
    browser = known_browser(personas.bob.user.email)
    assert {request_link(HOME, email) for email in emails} == {302}
    refused = Client(REMOTE_ADDR=HOME).post("/password/forgotten", {"email": "who@example.com"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert "Try again in 1 second" in refused.content.decode()
    # Neither other networks nor a known device in the same one are paused.
    assert request_link(ATTACKER, personas.bob.user.email) == 302
    response = browser.post("/password/forgotten", {"email": personas.bob.user.email})
    assert response.status_code == 302


def test_a_reset_link_is_the_way_in_during_an_attack_from_many_networks(
    personas: Personas,
) -> None:
    user = personas.bob.user
    for number in range(FREE_TURNS + 1):
        begin_sign_in(Origin(user.email, f"10.0.{number}.1"))
    with pytest.raises(TooManyAttemptsError):
        begin_sign_in(Origin(user.email, ATTACKER))
    phone = Client(REMOTE_ADDR="203.0.113.9")
    assert sign_in(phone, user.email).status_code == 429
    form = phone.get(path_of(password_link(user.id, password_token(user))), follow=True)
    passwords = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    phone.post(form.request["PATH_INFO"], passwords)
    assert sign_in(phone, user.email, NEW_PASSWORD).status_code == 302
