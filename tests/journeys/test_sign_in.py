"""People come in and manage keys and members, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.journeys.browsing import NARROWEST, Visitor, browser, new_visitor
from tests.personas import PASSWORD, Personas, make_personas
from visual_review.accounts.callers import caller_of_key
from visual_review.accounts.models import Membership
from visual_review.accounts.setup import make_setup_link
from visual_review.kernel.errors import UnauthenticatedError

__all__ = ["browser"]
NEW_PASSWORD = "another long enough phrase"
PAGES = ["/repositories", "/members", "/keys", "/audit", "/account", "/account/password"]
Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Browser, live_server: LiveServer, settings: Settings) -> Visit:
    """Opens browsers of different people on a server of the test's own."""
    settings.PUBLIC_URL = live_server.url

    def opened(**options: object) -> Visitor:
        return new_visitor(browser, live_server.url, **options)

    return opened


@pytest.fixture
def people(visit: Visit) -> Personas:
    assert visit
    return make_personas()


def test_the_setup_link_leads_to_a_working_organization(visit: Visit) -> None:
    visitor = visit()
    visitor.page.goto(make_setup_link())
    visitor.page.get_by_label("Organization").fill("Acme")
    visitor.page.get_by_label("Your name").fill("Dana")
    visitor.page.get_by_label("Your e-mail address").fill("dana@example.com")
    visitor.page.get_by_label("Password").fill(NEW_PASSWORD)
    visitor.page.get_by_role("button", name="Create the organization").click()
    assert visitor.heading() == "Repositories"
    visitor.choose_in_menu("Sign out")
    assert visitor.heading() == "Sign in"
    visitor.sign_in("dana@example.com", NEW_PASSWORD)
    assert visitor.heading() == "Repositories"
    assert visitor.complaints == []


def test_a_wrong_password_is_said_and_the_page_asked_for_comes_after_the_right_one(
    visit: Visit, people: Personas
) -> None:
    visitor = visit()
    visitor.open("/members")
    visitor.page.get_by_label("E-mail address").fill(people.bob.user.email)
    visitor.page.get_by_label("Password").fill("a wrong password")
    visitor.page.get_by_role("button", name="Sign in").click()
    assert "not correct" in visitor.page.get_by_role("alert").inner_text()
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.page.get_by_role("button", name="Sign in").click()
    assert visitor.heading() == "Members"


def test_a_key_is_made_used_and_revoked(visit: Visit, people: Personas) -> None:
    visitor = visit()
    visitor.sign_in(people.alice.user.email, PASSWORD)
    visitor.page.get_by_role("link", name="API keys").click()
    visitor.page.get_by_label("Name").fill("Dashboard")
    visitor.page.get_by_label("The organization's").check()
    visitor.page.get_by_label("builds:view").check()
    visitor.page.get_by_role("button", name="Create the key").click()
    key = visitor.page.locator("#secret").inner_text()
    assert caller_of_key(key, "rest").permissions == {"builds:view"}
    visitor.page.get_by_role("link", name="Done").click()
    visitor.page.get_by_role("link", name="Revoke Dashboard").click()
    visitor.page.get_by_role("button", name="Revoke the key").click()
    assert "was revoked" in visitor.page.get_by_role("status").inner_text()
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key, "rest")
    assert visitor.complaints == []


def test_an_invitation_brings_a_person_in_whose_role_then_changes(
    visit: Visit, people: Personas
) -> None:
    owner, guest = visit(), visit()
    owner.sign_in(people.alice.user.email, PASSWORD)
    owner.open("/members")
    owner.page.get_by_label("E-mail address").fill("dana@example.com")
    owner.page.get_by_role("button", name="Invite").click()
    guest.page.goto(owner.page.locator("#secret").inner_text())
    guest.page.get_by_label("Your name").fill("Dana")
    guest.page.get_by_label("Password").fill(NEW_PASSWORD)
    guest.page.get_by_role("button", name="Create the account and join").click()
    assert guest.heading() == "Repositories"
    assert guest.page.get_by_role("link", name="Audit log").count() == 0
    owner.page.get_by_role("link", name="Done").click()
    owner.page.get_by_label("Role of Dana").select_option("admin")
    owner.page.get_by_role("button", name="Change the role of Dana").click()
    assert Membership.objects.get(user__email="dana@example.com").role == "admin"
    guest.page.reload()
    assert guest.page.get_by_role("link", name="Audit log").count() == 1
    assert owner.complaints == guest.complaints == []


def test_all_of_it_works_without_scripts(visit: Visit, people: Personas) -> None:
    visitor = visit(java_script_enabled=False)
    visitor.sign_in(people.bob.user.email, PASSWORD)
    visitor.choose_in_menu("Your account")
    visitor.page.get_by_role("textbox", name="Name").fill("Robert")
    visitor.page.get_by_role("button", name="Save").click()
    assert "was saved" in visitor.page.get_by_role("status").inner_text()
    visitor.choose_in_menu("Sign out")
    assert visitor.heading() == "Sign in"


def test_the_keyboard_alone_reaches_content_and_menus(visit: Visit, people: Personas) -> None:
    visitor = visit()
    visitor.sign_in(people.alice.user.email, PASSWORD)
    visitor.open("/keys")
    keyboard = visitor.page.keyboard
    keyboard.press("Tab")
    keyboard.press("Enter")
    assert visitor.page.evaluate("document.activeElement.id") == "content"
    visitor.open("/keys")
    focused = "document.activeElement"
    while not visitor.page.evaluate(f"{focused}.matches('.menu--person > summary')"):
        keyboard.press("Tab")
    keyboard.press("Enter")
    assert visitor.page.get_by_role("button", name="Sign out").is_visible()
    keyboard.press("Escape")
    assert not visitor.page.get_by_role("button", name="Sign out").is_visible()
    assert visitor.page.evaluate(f"{focused}.tagName") == "SUMMARY"


def test_no_page_scrolls_sideways_on_the_narrowest_phone(visit: Visit, people: Personas) -> None:
    people.alice.user.name = "A person with a rather long name " * 3
    people.alice.user.save()
    visitor = visit(viewport={"width": NARROWEST, "height": 640})
    visitor.open("/sign-in")
    assert visitor.sideways() <= 0
    visitor.sign_in(people.alice.user.email, PASSWORD)
    visitor.open("/members")
    visitor.page.get_by_label("E-mail address").fill(f"{'long.name' * 6}@{'sub' * 9}.example.com")
    visitor.page.get_by_role("button", name="Invite").click()
    assert visitor.sideways() <= 0
    for address in PAGES:
        visitor.open(address)
        for closed in visitor.page.locator("main details").all():
            closed.locator("summary").click()
        assert visitor.sideways() <= 0, address
    assert visitor.complaints == []
