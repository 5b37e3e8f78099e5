"""A real browser for tests of pages."""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.support.pages import signed_in
from tests.support.personas import Persona
from visual_review.client.capture.chromium import ENVIRONMENT, NAMES

NARROWEST = 360
# Playwright's defaults, 30 and 5 seconds, are too short for a busy machine.
MILLISECONDS = 60_000
expect.set_options(timeout=MILLISECONDS)


def chromium() -> str | None:
    named = os.environ.get(ENVIRONMENT)
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def wait_for(what: str, happened: Callable[[], object], events_of: Page | None = None) -> None:
    """Poll until ``happened`` returns a true value.

    If ``happened`` reads only notes of a page's listeners, pass the page as ``events_of``: events
    arrive while Playwright runs, never during a plain sleep. Playwright's own ``wait_for_function``
    evaluates strings, forbidden by our pages.
    """
    deadline = time.monotonic() + MILLISECONDS / 1000
    while not happened():
        assert time.monotonic() < deadline, f"{what}: it did not happen"
        if events_of is None:
            time.sleep(0.02)
        else:
            events_of.wait_for_timeout(20)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Open the system's Chromium, or Playwright's own download.

    For a fixture of a module or a package, never of a session: Playwright's synchronous API keeps
    an event loop in this thread. Django takes the loop for asynchronous code and refuses database
    queries, and no other event loop can run there; later tests of the process must not find a loop.
    """
    # Chromium's sandbox does not start for root, and CI machines often run as root.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Nothing else runs in the loop while a test queries the database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
        try:
            yield browser
        finally:
            browser.close()
            # Where an event loop runs, Django has connections of its own; no other test closes
            # them.
            connections.close_all()


@dataclass
class Visitor:
    """One person's browser window, with the errors and warnings of the console."""

    page: Page
    address: str
    console_errors: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.address}{path}")

    def sign_in(self, email: str, password: str) -> None:
        """Sign in through the form, and wait for the next page."""
        self.open("/sign-in")
        self.fill_sign_in_form(email, password)
        # A click may return before the form was sent; opening a page then stops the form.
        self.page.wait_for_url(lambda url: urlsplit(url).path != "/sign-in")

    def fill_sign_in_form(self, email: str, password: str) -> None:
        self.page.get_by_label("E-mail address").fill(email)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()

    def choose_in_menu(self, item: str) -> None:
        self.page.locator(".menu--person summary").click()
        self.page.get_by_role("button", name=item).or_(
            self.page.get_by_role("link", name=item)
        ).click()

    def expect_heading(self, text: str | re.Pattern[str]) -> None:
        """Expect the page to have the heading, now or once the page has been loaded."""
        expect(self.page.get_by_role("heading", level=1)).to_have_text(text)
        # Scripts of the page may act once more after the page is complete.
        self.page.wait_for_load_state()

    def expect_status(self, text: str) -> None:
        """Expect the page to report the result of the last step."""
        expect(self.page.get_by_role("status")).to_contain_text(text)

    def horizontal_overflow(self) -> int:
        """Return by how many pixels the loaded page is wider than the window."""
        self.page.wait_for_load_state()
        width = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return int(width)


class Touch:
    """Fingers on a page; 16 ms pass from one event to the next, however slow the machine is."""

    SECONDS = 0.016

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._time = time.time()

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        """Send an event such as ``touchStart`` with the place of each finger."""
        self._time += self.SECONDS
        touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        event = {"type": kind, "touchPoints": touches, "timestamp": self._time}
        self._session.send("Input.dispatchTouchEvent", event)


OpenVisitor = Callable[..., Visitor]


@dataclass
class Visitors:
    """Opens windows on a server, and closes all of them at the end."""

    browser: Browser
    address: str
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, persona: Persona | None = None, **options: Any) -> Visitor:  # noqa: ANN401 - Playwright's own options.
        """Open a new window; a persona is signed in already, without the form."""
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        context.set_default_timeout(MILLISECONDS)
        if persona is not None:
            name = settings.SESSION_COOKIE_NAME
            session = signed_in(persona).cookies[name].value
            context.add_cookies([{"name": name, "value": session, "url": self.address}])
        visitor = Visitor(context.new_page(), self.address)
        visitor.page.on(
            "console",
            lambda message: (
                visitor.console_errors.append(message.text)
                if message.type in {"error", "warning"}
                else None
            ),
        )
        return visitor

    def close(self) -> None:
        for context in self.contexts:
            context.close()
