"""Who guesses passwords is slowed down, and locks no one else out."""

import pytest
from django.core import signing
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.case import Case
from tests.support.clock import Clock
from tests.support.pages import sign_in
from tests.support.personas import Personas
from tests.support.threads import racers
from visual_review.accounts.attempt_rules import FREE_TURNS, TURN_INTERVAL
from visual_review.accounts.attempts import Origin, account_name, begin_sign_in
from visual_review.accounts.models import AttemptCount, KnownNetwork
from visual_review.jobs.upkeep.delete_expired_attempts import delete_expired_attempts
from visual_review.kernel.errors import TooManyAttemptsError
from visual_review.web.known_devices import SALT

COOKIE = "known_device"
ATTACKER = "198.51.100.7"
HOME = "192.0.2.1"
ELSEWHERE = "203.0.113.9"
# What the form allows for one account and network before it pauses.
FREE = 5


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def browser_at(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def fail(email: str, address: str, times: int) -> None:
    """Use up attempts as the form does, without the slow password hash of each."""
    for _ in range(times):
        begin_sign_in(Origin(email, address))


def is_signed_in(response: HttpResponse) -> bool:
    return response.status_code == 302


def test_six_wrong_passwords_from_elsewhere_lock_no_one_out(
    personas: Personas, clock: Clock
) -> None:
    email = personas.bob.user.email
    for _ in range(6):
        response = sign_in(browser_at(ATTACKER), email, "wrong password")
    assert response.status_code == 429
    # Neither from another network nor, after a second, from the attacker's own.
    assert is_signed_in(sign_in(browser_at(HOME), email))
    assert response["Retry-After"] == "1"
    clock.advance(seconds=1)
    assert is_signed_in(sign_in(browser_at(ATTACKER), email))


def test_the_page_says_how_long_to_wait(personas: Personas, clock: Clock) -> None:
    email = personas.bob.user.email
    fail(email, ATTACKER, FREE)
    for shown in (1, 2, 4, 8):
        response = sign_in(browser_at(ATTACKER), email)
        assert response.status_code == 429
        assert response["Retry-After"] == str(shown)
        assert f"Try again in {shown} second" in response.content.decode()
        clock.advance(seconds=shown)
        fail(email, ATTACKER, 1)
    # The e-mail address that was entered is still in the form.
    assert email in response.content.decode()


def test_pauses_never_exceed_a_minute(personas: Personas, clock: Clock) -> None:
    email = personas.bob.user.email
    for _ in range(30):
        fail(email, ATTACKER, 1)
        clock.advance(seconds=60)
    fail(email, ATTACKER, 1)
    with pytest.raises(TooManyAttemptsError) as raised:
        fail(email, ATTACKER, 1)
    assert raised.value.retry_after == 60


def test_an_unknown_address_is_limited_in_the_same_words(personas: Personas) -> None:
    pages = []
    for email in (personas.bob.user.email, "nobody@example.com"):
        fail(email, ATTACKER, FREE)
        response = sign_in(browser_at(ATTACKER), email)
        pages.append((response.status_code, response.context["form"].non_field_errors()))
    assert pages[0] == pages[1]


def is_refused(email: str, address: str, device: str = "") -> bool:
    try:
        begin_sign_in(Origin(email, address, device))
    except TooManyAttemptsError:
        return True
    return False


def attack_from_many_networks(email: str, networks: int = 5) -> None:
    """Use up the free turns of the account; then ``networks`` others wait in line."""
    for number in range(FREE_TURNS + 1):
        is_refused(email, f"10.0.{number}.1")
    assert all(is_refused(email, f"10.2.{number}.1") for number in range(networks))


def known_laptop(email: str) -> Client:
    """Return a browser that has signed in before, at home, and is now in the attacker's network."""
    laptop = browser_at(HOME)
    assert is_signed_in(sign_in(laptop, email))
    laptop.post("/sign-out")
    laptop.defaults["REMOTE_ADDR"] = ATTACKER
    return laptop


def test_a_known_device_gets_in_during_any_attack(personas: Personas) -> None:
    email = personas.bob.user.email
    laptop = known_laptop(email)
    fail(email, ATTACKER, FREE)
    attack_from_many_networks(email)
    assert is_refused(email, ATTACKER)
    assert is_signed_in(sign_in(laptop, email))


def test_a_known_network_gets_in_during_an_attack_from_others(personas: Personas) -> None:
    email = personas.bob.user.email
    known_laptop(email)
    attack_from_many_networks(email)
    assert is_signed_in(sign_in(browser_at(HOME), email))
    assert is_refused(email, ELSEWHERE)


def test_someone_unknown_gets_in_when_it_is_their_turn(personas: Personas, clock: Clock) -> None:
    email = personas.bob.user.email
    attack_from_many_networks(email, networks=5)
    phone = browser_at(ELSEWHERE)
    told = int(sign_in(phone, email)["Retry-After"])
    # One interval for each network before this one, however often those try meanwhile.
    assert told <= 6 * TURN_INTERVAL.total_seconds()
    assert all(is_refused(email, f"10.2.{number}.{host}") for number in range(5) for host in (1, 2))
    clock.advance(seconds=told)
    assert not is_refused(email, "10.2.0.1")
    assert is_signed_in(sign_in(phone, email))


def test_many_networks_together_guess_slowly(personas: Personas, clock: Clock) -> None:
    email = personas.bob.user.email
    attack_from_many_networks(email, networks=0)
    guesses = 0
    for _ in range(10):
        clock.advance(seconds=3)
        guesses += sum(not is_refused(email, f"10.3.{number}.1") for number in range(8))
    assert 0 < guesses <= 30 / TURN_INTERVAL.total_seconds() + 1


def test_a_known_device_has_a_budget_of_its_own(personas: Personas) -> None:
    email = personas.bob.user.email
    laptop = known_laptop(email)
    mark = signing.loads(laptop.cookies[COOKIE].value, salt=SALT)
    (device,) = mark.values()
    assert not any(is_refused(email, HOME, device) for _ in range(10))
    response = sign_in(laptop, email)
    assert (response.status_code, response["Retry-After"]) == (429, "1")
    # Another device, or none, is not punished for it.
    assert is_signed_in(sign_in(browser_at(HOME), email))


def test_a_device_is_known_for_its_own_accounts_only(personas: Personas) -> None:
    laptop = known_laptop(personas.mallory.user.email)
    fail(personas.bob.user.email, ATTACKER, FREE)
    assert sign_in(laptop, personas.bob.user.email).status_code == 429


def test_a_forged_or_changed_cookie_makes_no_device_known(personas: Personas, case: Case) -> None:
    email = personas.bob.user.email
    cookie = known_laptop(email).cookies[COOKIE].value
    fail(email, ATTACKER, FREE)
    forged = {
        "empty": "",
        "text": "bob",
        "another key": signing.dumps({"a": "b"}, key="another key of an attacker", salt=SALT),
        "another purpose": signing.dumps({"a": "b"}),
        "changed": f"{cookie[:-1]}{'a' if cookie[-1] != 'a' else 'b'}",
    }
    for name, value in forged.items():
        with case(name):
            browser = browser_at(ATTACKER)
            browser.cookies[COOKIE] = value
            assert sign_in(browser, email).status_code == 429


def test_the_cookie_names_no_one_and_cannot_be_read_by_scripts(personas: Personas) -> None:
    email = personas.bob.user.email
    cookie = known_laptop(email).cookies[COOKIE]
    assert cookie["httponly"]
    assert (cookie["path"], cookie["samesite"], cookie["domain"]) == ("/", "Lax", "")
    assert email not in str(signing.loads(cookie.value, salt=SALT))
    # It alone signs no one in.
    browser = browser_at(HOME)
    browser.cookies[COOKIE] = cookie.value
    assert browser.get("/account").status_code == 302


def test_people_who_share_a_browser_are_both_known_in_it(personas: Personas) -> None:
    emails = (personas.alice.user.email, personas.bob.user.email)
    shared = browser_at(HOME)
    for email in emails:
        sign_in(shared, email)
        shared.post("/sign-out")
    for email in emails:
        fail(email, HOME, FREE)
        assert is_signed_in(sign_in(shared, email))
        shared.post("/sign-out")


def test_one_network_cannot_try_many_accounts(personas: Personas) -> None:
    refused = [is_refused(f"person{number}@example.com", ATTACKER) for number in range(25)]
    assert refused == [False] * 20 + [True] * 5
    assert sign_in(browser_at(ATTACKER), personas.bob.user.email).status_code == 429
    assert is_signed_in(sign_in(browser_at(HOME), personas.bob.user.email))


def test_people_behind_one_address_are_not_counted_for_signing_in(
    personas: Personas, clock: Clock
) -> None:
    fail(personas.alice.user.email, HOME, 1)
    for _ in range(3):
        for persona in (personas.bob, personas.carol):
            assert is_signed_in(sign_in(browser_at(HOME), persona.user.email))
    living = AttemptCount.objects.filter(expires_at__gt=clock.moment)
    assert max(living.values_list("count", flat=True)) == 1


def test_an_ipv6_client_counts_with_its_network(personas: Personas) -> None:
    email = personas.bob.user.email
    refused = [is_refused(email, f"2001:db8::{number}") for number in range(1, FREE + 2)]
    assert refused == [False] * FREE + [True]
    assert not is_refused(email, "2001:db8:1::1")


def test_another_spelling_of_the_address_does_not_begin_anew(
    personas: Personas, case: Case
) -> None:
    assert personas
    fail(account_name("sasha@example.com"), ATTACKER, FREE)
    for spelling in ("SASHA@example.com", " sasha@Example.com ", "\u017fa\u017fha@example.com"):
        with case(spelling):
            assert sign_in(browser_at(ATTACKER), spelling).status_code == 429


def test_a_refused_attempt_adds_no_row(personas: Personas) -> None:
    assert personas
    while not is_refused("person@example.com", ATTACKER):
        pass
    for number in range(20):
        is_refused(f"person{number}@example.com", ATTACKER)
    rows = AttemptCount.objects.count()
    with CaptureQueriesContext(connection) as captured:
        assert is_refused("another@example.com", ATTACKER)
    assert AttemptCount.objects.count() == rows
    assert not any("INSERT" in query["sql"] for query in captured.captured_queries)


def test_simultaneous_attempts_do_not_exceed_the_limit(
    transactional_db: None, personas: Personas
) -> None:
    assert transactional_db is None
    email = personas.bob.user.email
    with racers(2 * FREE) as threads:
        refused = threads.race(*[lambda: is_refused(email, ATTACKER)] * threads.size)
    assert refused.count(False) == FREE


def test_the_table_names_no_one_and_is_cleaned(personas: Personas, clock: Clock) -> None:
    known_laptop(personas.bob.user.email)
    fail(personas.bob.user.email, ATTACKER, 1)
    stored = str([*AttemptCount.objects.values(), *KnownNetwork.objects.values()])
    assert not any(text in stored for text in (personas.bob.user.email, ATTACKER, HOME))
    clock.advance(seconds=2 * 60 * 60)
    delete_expired_attempts(0)
    assert KnownNetwork.objects.exists()
    clock.advance(days=90)
    delete_expired_attempts(0)
    assert not KnownNetwork.objects.exists()
    assert not AttemptCount.objects.exists()
