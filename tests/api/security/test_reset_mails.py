"""Mails for a forgotten password: no one can flood a mailbox."""

import pytest
from django.core.cache import cache
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.pages import path_of, sign_in
from tests.support.personas import Personas
from visual_review.accounts.links import password_link, password_token

ATTACKER = "198.51.100.7"
NEW_PASSWORD = "a new and much longer password"
# In an hour for an account, and in a minute for a network.
MAILS, REQUESTS = 5, 20


@pytest.fixture(autouse=True)
def mail(settings: Settings, db: None) -> None:
    assert db is None
    settings.EMAIL_CONFIGURED = True
    cache.clear()


def request_link(address: str, email: str) -> int:
    browser = Client(REMOTE_ADDR=address)
    return browser.post("/password/forgotten", {"email": email}).status_code


def test_a_mailbox_gets_a_few_mails_however_many_networks_ask(personas: Personas) -> None:
    email = personas.bob.user.email
    codes = [request_link(f"10.0.{number}.1", email) for number in range(MAILS + 3)]
    assert codes == [302] * MAILS + [429] * 3
    # Requests wait for the same mail until a worker sends it.
    assert ProcrastinateJob.objects.get().args == {"user_id": personas.bob.user.id}


def test_beyond_the_limit_an_unknown_address_gets_the_same(personas: Personas) -> None:
    codes = [
        [request_link(f"10.0.{number}.1", email) for number in range(MAILS + 1)]
        for email in (personas.bob.user.email, "nobody@example.com")
    ]
    assert codes[0] == codes[1]


def test_one_network_is_refused_after_many_requests(personas: Personas) -> None:
    emails = [f"person{number}@example.com" for number in range(REQUESTS)]
    assert {request_link(ATTACKER, email) for email in emails} == {302}
    assert request_link(ATTACKER, personas.bob.user.email) == 429
    assert request_link("192.0.2.1", personas.bob.user.email) == 302


def test_a_reset_link_is_the_way_in_where_passwords_are_refused(personas: Personas) -> None:
    user = personas.bob.user
    phone = Client(REMOTE_ADDR=ATTACKER)
    while sign_in(phone, user.email, "wrong password").status_code == 200:
        pass
    form = phone.get(path_of(password_link(user.id, password_token(user))), follow=True)
    passwords = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    phone.post(form.request["PATH_INFO"], passwords)
    assert sign_in(phone, user.email, NEW_PASSWORD).status_code == 302
