"""Who guesses passwords is refused, and locks no one else out."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from tests.support.case import Case
from tests.support.pages import sign_in
from tests.support.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.web.allauth_adapter import account_name

ATTACKER = "198.51.100.7"
HOME = "192.0.2.1"
# allauth's limits for one account and network in a minute, and for a network in five.
FREE, FREE_OF_NETWORK = 5, 20


@pytest.fixture(autouse=True)
def empty_cache(db: None) -> None:
    assert db is None
    cache.clear()


def browser_at(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def fail(email: str, address: str, times: int) -> list[int]:
    browser = browser_at(address)
    return [sign_in(browser, email, "wrong password").status_code for _ in range(times)]


def is_signed_in(response: HttpResponse) -> bool:
    return response.status_code == 302


def test_wrong_passwords_from_elsewhere_lock_no_one_out(personas: Personas) -> None:
    email = personas.bob.user.email
    assert fail(email, ATTACKER, FREE + 1) == [200] * FREE + [429]
    # The right password is refused as well there, and accepted from another network.
    refused = sign_in(browser_at(ATTACKER), email)
    assert (refused.status_code, refused["Retry-After"]) == (429, "60")
    assert "Too many failed" in refused.content.decode()
    # The entered e-mail address is still in the form.
    assert email in refused.content.decode()
    assert is_signed_in(sign_in(browser_at(HOME), email))


def test_an_unknown_address_is_limited_in_the_same_words(personas: Personas) -> None:
    pages = []
    for email in (personas.bob.user.email, "nobody@example.com"):
        fail(email, ATTACKER, FREE)
        response = sign_in(browser_at(ATTACKER), email)
        pages.append((response.status_code, response.context["form"].non_field_errors()))
    assert pages[0] == pages[1]


def test_one_network_cannot_try_many_accounts(personas: Personas) -> None:
    browser = browser_at(ATTACKER)
    codes = [
        sign_in(browser, f"person{number}@example.com", "wrong").status_code
        for number in range(FREE_OF_NETWORK + 5)
    ]
    assert codes == [200] * FREE_OF_NETWORK + [429] * 5
    assert is_signed_in(sign_in(browser_at(HOME), personas.bob.user.email))


def test_people_behind_one_address_are_not_counted_for_signing_in(personas: Personas) -> None:
    for _ in range(FREE + 1):
        for persona in (personas.bob, personas.carol):
            assert is_signed_in(sign_in(browser_at(HOME), persona.user.email))


def test_an_ipv6_client_counts_with_its_network(personas: Personas) -> None:
    email = personas.bob.user.email
    codes = [fail(email, f"2001:db8::{number}", 1)[0] for number in range(1, FREE + 2)]
    assert codes == [200] * FREE + [429]
    assert fail(email, "2001:db8:1::1", 1) == [200]


def test_another_spelling_of_the_address_does_not_begin_anew(
    personas: Personas, case: Case
) -> None:
    assert personas
    fail("sasha@example.com", ATTACKER, FREE)
    for spelling in ("SASHA@example.com", " sasha@Example.com ", "\u017fa\u017fha@example.com"):
        with case(spelling):
            assert account_name(spelling) == account_name("sasha@example.com")
            assert sign_in(browser_at(ATTACKER), spelling).status_code == 429


def test_failures_of_an_account_are_audited(personas: Personas) -> None:
    fail(personas.bob.user.email, ATTACKER, 2)
    verbs = [entry.verb for entry in AuditEntry.objects.all()]
    assert verbs == ["session.sign_in_failed"] * 2


def test_the_cache_names_no_one(personas: Personas) -> None:
    fail(personas.bob.user.email, ATTACKER, 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key FROM accounts_cacheentry")
        keys = str(cursor.fetchall())
    assert personas.bob.user.email not in keys
