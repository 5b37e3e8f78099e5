"""The service's pages in a real browser, used by the texts that a person reads."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import BrowserContext, Error, Locator, Page, expect

from scripts.first_use.errors import FirstUseError
from scripts.screenshots import browser

MILLISECONDS: Final = 60_000
EMAIL: Final = "robin@example.com"
OWNER: Final = "Robin"
ORGANIZATION: Final = "Harbour"
REPOSITORY: Final = "harbour/design-system"
COMMENT: Final = "Was this meant to change?"


class Visitor:
    """One person with a browser."""

    def __init__(self, context: BrowserContext) -> None:
        self._page: Page = context.new_page()
        self._page.set_default_timeout(MILLISECONDS)

    def open(self, url: str) -> str:
        self._page.goto(url)
        return self.text

    @property
    def text(self) -> str:
        return self._page.locator("body").inner_text()

    def set_up(self, password: str) -> str:
        """Fill in the form of the set-up; return the text of the next page."""
        self._page.get_by_label("Organization").fill(ORGANIZATION)
        self._page.get_by_label("Your name").fill(OWNER)
        self._page.get_by_label("Your e-mail address").fill(EMAIL)
        self._page.get_by_label("Password").fill(password)
        return self._choose("Create organization")

    def connect_repository(self, name: str = REPOSITORY) -> str:
        self._page.get_by_label("Full name").fill(name)
        return self._choose("Connect")

    def open_link(self, name: str) -> str:
        with self._page.expect_navigation():
            self._page.get_by_role("link", name=name, exact=True).first.click()
        return self.text

    def choose_tab(self, name: str) -> None:
        self._page.get_by_text(name, exact=True).filter(visible=True).click()

    def copy(self, what: str) -> str:
        """Press a button Copy, and return the content of the clipboard."""
        button = self._page.get_by_role("button", name=f"Copy {what}", exact=True)
        button.click()
        self._page.get_by_role("button", name=f"Copied {what}", exact=True).wait_for()
        copied: str = self._page.evaluate("navigator.clipboard.readText()")
        return copied

    def open_build(self, url: str) -> None:
        self._page.goto(url)
        expect(self._page.locator("#review")).to_have_attribute(
            "data-current", re.compile("."), timeout=MILLISECONDS
        )

    def approve_build(self, button: str) -> str:
        """Press the button named in the terminal; return the final message of the page."""
        self._page.get_by_role("button", name=re.compile(f"^{re.escape(button)}")).click()
        dialog = self._dialog
        again = dialog.get_by_label("Also approve")
        dialog.wait_for()
        if again.count():
            again.check()
        dialog.get_by_role("button", name=button, exact=True).click()
        done = dialog.filter(has_text="is approved.")
        done.wait_for()
        text = done.inner_text()
        done.get_by_role("button", name=re.compile("Close|Stay here")).click()
        return text

    def reject_screenshot(self) -> None:
        """Reject the first screenshot shown, with a comment, and wait for the new count."""
        self._page.locator(".decision-bar__reject").click()
        self._dialog.get_by_role("textbox").fill(COMMENT)
        self._dialog.get_by_role("button", name="Reject", exact=True).click()
        count = self._page.locator(".build-bar__count")
        expect(count).to_have_text(re.compile("^1 of "), timeout=MILLISECONDS)

    def _choose(self, button: str) -> str:
        with self._page.expect_navigation():
            self._page.get_by_role("button", name=button, exact=True).click()
        return self.text

    @property
    def _dialog(self) -> Locator:
        return self._page.locator("dialog[open]")


@contextmanager
def open_visitor() -> Iterator[Visitor]:
    """Open a browser; an element missing from a page in time is a FirstUseError."""
    with browser() as opened:
        context = opened.new_context(permissions=["clipboard-read", "clipboard-write"])
        try:
            yield Visitor(context)
        except (Error, AssertionError) as error:
            raise FirstUseError(f"A page is not as described: {error}") from error
