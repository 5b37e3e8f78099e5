"""Clicks that were meant for another page do not let an app in, in a real browser."""

from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.doors.oauth.flow import Flow
from tests.journeys.browsing import browser, new_visitor
from tests.personas import PASSWORD, Personas, make_personas
from visual_review.accounts.models import Grant
from visual_review.accounts.oauth.client_rules import ClientFacts
from visual_review.accounts.oauth.clients import register

__all__ = ["browser"]
# It leaves the page where it is.
REDIRECT = "cursor://anysphere.cursor-mcp/oauth/callback"


@pytest.fixture
def people(live_server: LiveServer, settings: Settings) -> Personas:
    settings.PUBLIC_URL = live_server.url
    return make_personas()


@pytest.fixture
def question(browser: Browser, live_server: LiveServer, people: Personas) -> Page:
    """The consent page, opened by somebody who is signed in."""
    client = register(ClientFacts("App", (REDIRECT,)))
    page = new_visitor(browser, live_server.url).page
    page.goto(f"{live_server.url}{Flow(client.client_id, Client(), redirect=REDIRECT).address()}")
    page.get_by_label("E-mail address").fill(people.bob.user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Allow").wait_for()
    return page


def click_blindly(page: Page) -> None:
    """As a hand that aimed at something else: nothing is waited for."""
    button = page.get_by_role("button", name="Allow")
    button.evaluate("button => button.scrollIntoView({block: 'center'})")
    box = button.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def released(page: Page) -> None:
    page.locator("button[value=allow]:not([aria-disabled])").wait_for()


def assert_still_asking(page: Page) -> None:
    page.wait_for_timeout(300)
    assert urlsplit(page.url).path == "/oauth/authorize"
    assert page.get_by_role("button", name="Allow").is_visible()
    assert not Grant.objects.exists()


def test_the_second_half_of_a_double_click_lets_nobody_in(question: Page) -> None:
    question.reload()
    click_blindly(question)
    assert_still_asking(question)
    released(question)
    # The window that lay over this one has closed.
    question.evaluate("window.dispatchEvent(new Event('focus'))")
    click_blindly(question)
    assert_still_asking(question)


def test_a_key_that_was_pressed_for_another_page_lets_nobody_in(question: Page) -> None:
    released(question)
    question.get_by_role("button", name="Allow").focus()
    question.evaluate("window.dispatchEvent(new Event('focus'))")
    question.keyboard.press("Enter")
    assert_still_asking(question)
    # The focus stays where it was, so that the keyboard goes on.
    assert question.evaluate("document.activeElement.value") == "allow"


def test_whoever_has_looked_is_not_hindered(question: Page) -> None:
    question.get_by_role("button", name="Allow").click()
    question.locator("#continue").wait_for(state="attached")
    assert Grant.objects.count() == 1


def test_refusing_is_possible_at_once(question: Page) -> None:
    question.reload()
    question.get_by_role("button", name="Refuse").click(no_wait_after=True)
    question.locator("#continue").wait_for(state="attached")
    assert not Grant.objects.exists()
