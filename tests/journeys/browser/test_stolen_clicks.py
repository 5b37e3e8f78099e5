"""Clicks that were meant for another page do not let an app in, in a real browser."""

from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Page

from tests.support.browser import OpenVisitor
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from visual_review.accounts.models import Grant
from visual_review.accounts.oauth.client_rules import ClientFacts
from visual_review.accounts.oauth.clients import register

# It leaves the page where it is.
REDIRECT = "cursor://anysphere.cursor-mcp/oauth/callback"


@pytest.fixture
def consent_page(open_visitor: OpenVisitor, personas: Personas) -> Page:
    """Opened by a person who is signed in."""
    client = register(ClientFacts("App", (REDIRECT,)))
    visitor = open_visitor(personas.bob)
    visitor.open(Flow(client.client_id, Client(), redirect=REDIRECT).address())
    visitor.page.get_by_role("button", name="Allow").wait_for()
    return visitor.page


def click_blindly(page: Page) -> None:
    """As a hand that aimed at something else: nothing is waited for."""
    button = page.get_by_role("button", name="Allow")
    button.evaluate("button => button.scrollIntoView({block: 'center'})")
    box = button.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def wait_until_enabled(page: Page) -> None:
    page.locator("button[value=allow]:not([aria-disabled])").wait_for()


def assert_still_asking(page: Page) -> None:
    page.wait_for_timeout(300)
    assert urlsplit(page.url).path == "/oauth/authorize"
    assert page.get_by_role("button", name="Allow").is_visible()
    assert not Grant.objects.exists()


def test_the_second_half_of_a_double_click_allows_nothing(consent_page: Page) -> None:
    consent_page.reload()
    click_blindly(consent_page)
    assert_still_asking(consent_page)
    wait_until_enabled(consent_page)
    # The window that lay over this one has closed.
    consent_page.evaluate("window.dispatchEvent(new Event('focus'))")
    click_blindly(consent_page)
    assert_still_asking(consent_page)


def test_a_key_that_was_pressed_for_another_page_allows_nothing(consent_page: Page) -> None:
    wait_until_enabled(consent_page)
    consent_page.get_by_role("button", name="Allow").focus()
    consent_page.evaluate("window.dispatchEvent(new Event('focus'))")
    consent_page.keyboard.press("Enter")
    assert_still_asking(consent_page)
    # The focus stays where it was, so that the keyboard goes on.
    assert consent_page.evaluate("document.activeElement.value") == "allow"


def test_a_click_after_looking_at_the_page_is_taken(consent_page: Page) -> None:
    consent_page.get_by_role("button", name="Allow").click()
    consent_page.locator("#continue").wait_for(state="attached")
    assert Grant.objects.count() == 1


def test_refusing_is_possible_at_once(consent_page: Page) -> None:
    consent_page.reload()
    consent_page.get_by_role("button", name="Refuse").click(no_wait_after=True)
    consent_page.locator("#continue").wait_for(state="attached")
    assert not Grant.objects.exists()
