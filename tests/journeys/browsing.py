"""A real browser for tests of pages."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from visual_review.client.capture.chromium import ENVIRONMENT, NAMES

NARROWEST = 360
# Playwright's own 30 and 5 seconds are too few for a machine that does much else.
MILLISECONDS = 60_000
expect.set_options(timeout=MILLISECONDS)


def _chromium() -> str | None:
    named = os.environ.get(ENVIRONMENT)
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def wait_for(what: str, happened: Callable[[], object]) -> None:
    """Ask until the answer is true.

    Not Playwright's own waiting for a function: it evaluates text, which our pages forbid.
    """
    deadline = time.monotonic() + MILLISECONDS / 1000
    while not happened():
        assert time.monotonic() < deadline, f"{what}: it did not happen"
        time.sleep(0.02)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium from the system, else Playwright's own download."""
    # Chromium's sandbox does not start for root, as which CI machines often run.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visitor:
    """One person's browser; ``complaints`` are errors its console showed."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.address}{path}")

    def sign_in(self, email: str, password: str) -> None:
        self.open("/sign-in")
        self.page.get_by_label("E-mail address").fill(email)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()

    def choose_in_menu(self, item: str) -> None:
        self.page.locator(".menu--person summary").click()
        self.page.get_by_role("button", name=item).or_(
            self.page.get_by_role("link", name=item)
        ).click()

    def heading(self) -> str:
        return self.page.get_by_role("heading", level=1).inner_text()

    def sideways(self) -> int:
        """How many pixels the page is wider than its window, once it has its styles."""
        self.page.wait_for_load_state()
        width = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return int(width)


def new_visitor(browser: Browser, address: str, **options: object) -> Visitor:
    context = browser.new_context(**options)  # type: ignore[arg-type] # Playwright's own options.
    context.set_default_timeout(MILLISECONDS)
    visitor = Visitor(context.new_page(), address)
    visitor.page.on(
        "console",
        lambda message: (
            visitor.complaints.append(message.text)
            if message.type in {"error", "warning"}
            else None
        ),
    )
    return visitor


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module only: what runs in the same process afterwards has no event loop left.

    Playwright's synchronous API keeps a loop in this thread, which Django takes for asynchronous
    code; nothing else runs in it while a test asks the database.
    """
    with pytest.MonkeyPatch.context() as patch, open_browser() as opened:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield opened
