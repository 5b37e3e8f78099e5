"""Clicks meant for another page do not authorize an app, in a real browser."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Page

from tests.support.browser import OpenVisitor
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from visual_review.accounts.models import Grant
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register

# The browser stays on the page.
REDIRECT = "cursor://anysphere.cursor-mcp/oauth/callback"
SECOND = 1_000


@pytest.fixture
def consent_page(open_visitor: OpenVisitor, personas: Personas) -> Page:
    """The consent page, opened by a person who is signed in."""
    client = register(ClientMetadata("App", (REDIRECT,)))
    visitor = open_visitor(personas.bob)
    visitor.open(Flow(client.client_id, Client(), redirect=REDIRECT).url())
    visitor.page.get_by_role("button", name="Allow").wait_for()
    return visitor.page


def click_blindly(page: Page) -> None:
    """Click without waiting, like a person who aimed at something else."""
    button = page.get_by_role("button", name="Allow")
    button.evaluate("button => button.scrollIntoView({block: 'center'})")
    box = button.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def stop_time(page: Page) -> None:
    """Let no time pass on the page by itself: on a busy machine a click can take a second."""
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))


def wait_until_enabled(page: Page) -> None:
    """Let as much time pass as a person waits."""
    page.clock.run_for(SECOND)
    page.locator("button[value=allow]:not([aria-disabled])").wait_for()


def assert_still_asking(page: Page) -> None:
    page.wait_for_timeout(300)
    assert urlsplit(page.url).path == "/oauth/authorize"
    assert page.get_by_role("button", name="Allow").is_visible()
    assert not Grant.objects.exists()


def test_the_second_half_of_a_double_click_allows_nothing(consent_page: Page) -> None:
    stop_time(consent_page)
    consent_page.reload()
    click_blindly(consent_page)
    assert_still_asking(consent_page)
    wait_until_enabled(consent_page)
    # The window above this one was closed.
    consent_page.evaluate("window.dispatchEvent(new Event('focus'))")
    click_blindly(consent_page)
    assert_still_asking(consent_page)


def test_a_key_pressed_for_another_page_allows_nothing(consent_page: Page) -> None:
    stop_time(consent_page)
    consent_page.reload()
    wait_until_enabled(consent_page)
    consent_page.get_by_role("button", name="Allow").focus()
    consent_page.evaluate("window.dispatchEvent(new Event('focus'))")
    consent_page.keyboard.press("Enter")
    assert_still_asking(consent_page)
    # The focus stays in place, so that the keyboard keeps working.
    assert consent_page.evaluate("document.activeElement.value") == "allow"


def test_a_click_after_a_pause_is_accepted(consent_page: Page) -> None:
    consent_page.get_by_role("button", name="Allow").click()
    consent_page.locator("#continue").wait_for(state="attached")
    assert Grant.objects.count() == 1


def test_denying_is_possible_immediately(consent_page: Page) -> None:
    consent_page.reload()
    consent_page.get_by_role("button", name="Deny").click(no_wait_after=True)
    consent_page.locator("#continue").wait_for(state="attached")
    assert not Grant.objects.exists()
