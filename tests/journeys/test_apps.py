"""A person is asked about an app, lets it in, finds it again and ends it, in a real browser."""

import re
from collections.abc import Callable

import pytest
from django.db import transaction
from playwright.sync_api import Browser, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.doors.oauth.flow import Flow
from tests.journeys.browsing import NARROWEST, Visitor, browser, new_visitor
from tests.personas import PASSWORD, Persona, Personas, make_personas
from visual_review.accounts.models import Grant, Membership
from visual_review.accounts.oauth.client_rules import ClientFacts
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect

__all__ = ["browser"]
CALLBACK = "http://127.0.0.1:33418/callback"
LONGEST = "An agent of a name as long as names may be, which is eighty signs in all".ljust(80, "!")
FAR = f"https://{'sub-domain.' * 8}example.com/callback"
Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Browser, live_server: LiveServer, settings: Settings) -> Visit:
    settings.PUBLIC_URL = live_server.url

    def opened(**options: object) -> Visitor:
        visitor = new_visitor(browser, live_server.url, **options)
        # The app itself: it takes whatever answer it gets.
        visitor.page.route(f"{CALLBACK}?*", lambda route: route.fulfill(body="Thanks."))
        return visitor

    return opened


@pytest.fixture
def people(visit: Visit) -> Personas:
    assert visit
    return make_personas()


def asking(person: Persona, name: str = "Agent", redirect: str = CALLBACK, **more: str) -> str:
    """The address at which an app asks; ``person`` only names whose browser will come."""
    client = register(ClientFacts(name, (redirect,)))
    return Flow(client.client_id, person, redirect=redirect).address(**more)  # type: ignore[arg-type]


def come(visitor: Visitor, person: Persona, address: str) -> None:
    """Open the address as a stranger and sign in on the way."""
    visitor.open(address)
    visitor.page.get_by_label("E-mail address").fill(person.user.email)
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("button", name="Sign in").click()


def test_an_app_is_let_in_found_and_ended(visit: Visit, people: Personas) -> None:
    visitor = visit()
    come(visitor, people.bob, asking(people.bob))
    assert visitor.heading() == "Let “Agent” act for you?"
    visitor.page.get_by_label("Read-only").check()
    visitor.page.get_by_role("button", name="Allow").click()
    visitor.page.wait_for_url(re.compile(r"/callback\?.*code="))
    assert Grant.objects.get().scope == "read"
    visitor.open("/account")
    visitor.choose_in_menu("Connected apps")
    expect(visitor.page.get_by_role("row", name="Agent")).to_contain_text("Read-only")
    visitor.page.get_by_role("button", name="Disconnect Agent").click()
    assert "was disconnected" in visitor.page.get_by_role("status").inner_text()
    assert Grant.objects.get().disconnected_at is not None


def test_the_keyboard_alone_decides(visit: Visit, people: Personas) -> None:
    visitor = visit()
    come(visitor, people.bob, asking(people.bob))
    focused = "document.activeElement"
    keyboard = visitor.page.keyboard
    while visitor.page.evaluate(f"{focused}.name") != "access":
        keyboard.press("Tab")
    # The arrows go round the radio buttons, of which what was asked for is chosen.
    assert visitor.page.evaluate(f"{focused}.value") == "changes"
    keyboard.press("ArrowUp")
    keyboard.press("Tab")
    assert visitor.page.evaluate(f"{focused}.value") == "allow"
    # Right after the page appeared the button is held, and people are slower than this.
    visitor.page.locator("button[value=allow]:not([aria-disabled])").wait_for()
    keyboard.press("Enter")
    visitor.page.wait_for_url(re.compile("/callback"))
    assert Grant.objects.get().scope == "read"


def test_who_is_somebody_else_signs_in_anew_and_is_asked_there(
    visit: Visit, people: Personas
) -> None:
    visitor = visit(java_script_enabled=False)
    come(visitor, people.carol, asking(people.bob))
    assert "Carol" in visitor.page.locator("main").inner_text()
    visitor.page.get_by_role("button", name="Not you?").click()
    visitor.page.get_by_label("E-mail address").fill(people.bob.user.email)
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("button", name="Sign in").click()
    assert "bob@example.com" in visitor.page.locator("main").inner_text()
    visitor.page.get_by_role("button", name="Refuse").click()
    visitor.page.wait_for_url(re.compile("error=access_denied"))
    assert not Grant.objects.exists()


def test_every_example_can_be_copied_whole(visit: Visit, people: Personas) -> None:
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    visitor.sign_in(people.carol.user.email, PASSWORD)
    visitor.open("/account/apps/connect")
    buttons = visitor.page.locator("button[data-copy]").all()
    assert len(buttons) == 14
    for button in buttons:
        source = visitor.page.locator(f"#{button.get_attribute('data-copy')}")
        expect(button).to_have_accessible_name(re.compile("^Copy the "))
        button.click()
        expect(button).to_contain_text("Copied")
        copied = visitor.page.evaluate("navigator.clipboard.readText()")
        assert copied == source.text_content()
    assert visitor.complaints == []


def test_no_page_about_apps_scrolls_sideways_on_the_narrowest_phone(
    visit: Visit, people: Personas
) -> None:
    people.bob.user.name = "A person with a rather long name " * 3
    people.bob.user.save()
    Membership.objects.create(
        user=people.bob.user, organization=people.mallory.organization, role="viewer"
    )
    with transaction.atomic():
        connect(people.bob.caller, register(ClientFacts(LONGEST, (FAR,))), "read", "read")
    consent = asking(people.bob, LONGEST, FAR)
    visitor = visit(viewport={"width": NARROWEST, "height": 640})
    come(visitor, people.bob, consent)
    assert "Let “An agent" in visitor.heading()
    pages = ["/account/apps", "/account/apps/connect", "/account", consent]
    faulty = asking(people.bob, LONGEST, FAR, resource="https://elsewhere.example.com/")
    for address in [*pages, faulty]:
        visitor.open(address)
        assert visitor.sideways() <= 0, address
    # The last one waits for a click: the app is unknown, and its request was faulty.
    assert "Back to" in visitor.heading()
    assert visitor.complaints == []
