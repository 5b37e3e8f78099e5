"""The review page in a real browser, used as a person does."""

from dataclasses import dataclass, field

from playwright.sync_api import Locator, expect

from tests.support.browser import Visitor, wait_for

DECIDING = frozenset({"a", "r", "Shift+A", "Shift+R", "t", "Shift+T"})


@dataclass
class ReviewPage:
    """``keys`` counts what was pressed."""

    visitor: Visitor
    keys: int = field(default=0)

    def open(self, path: str) -> None:
        self.visitor.open(path)
        self.wait_until_loaded()

    def wait_until_loaded(self) -> None:
        wait_for("the first screenshot is shown", lambda: self.current)

    @property
    def root(self) -> Locator:
        return self.visitor.page.locator("#review")

    @property
    def current(self) -> str:
        """The id of the screenshot in the viewer."""
        return self.root.get_attribute("data-current") or ""

    @property
    def dialog(self) -> Locator:
        return self.visitor.page.locator("dialog[open]")

    @property
    def decision_bar(self) -> Locator:
        return self.visitor.page.locator(".decision-bar")

    def wait_until_painted(self) -> None:
        """Wait for the images: no one decides about what is not shown yet."""
        expect(self.root).to_have_attribute("data-painted", "")

    def wait_until_fetched(self, images: int) -> None:
        """Wait until the page has fetched so many images."""
        fetched = "performance.getEntriesByType('resource').filter((each) => each.name.includes('/images/')).length"
        wait_for("images are fetched", lambda: self.visitor.page.evaluate(fetched) >= images)

    def press(self, *keys: str) -> None:
        for key in keys:
            if key in DECIDING and not self.dialog.count():
                self.wait_until_painted()
            self.visitor.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        self.visitor.page.keyboard.type(text)
        self.keys += len(text)

    def reject(self, comment: str) -> None:
        self.press("r")
        self.dialog.wait_for()
        self.type(comment)
        self.press("Control+Enter")
        self.wait_until_closed()

    def approve_group(self) -> None:
        """Look at all members of the group at once, and approve them."""
        self.press("Shift+A")
        grid = self.visitor.page.locator(".dialog--group")
        expect(grid.locator(".grid-cell:not([data-painted])")).to_have_count(0)
        self.press("a", "Enter")
        expect(grid).to_have_count(0)

    def wait_until_closed(self) -> None:
        """Wait until no dialog is open."""
        expect(self.dialog).to_have_count(0)

    def wait_until_left(self, screenshot: str) -> None:
        """Wait until another screenshot is in the viewer."""
        expect(self.root).not_to_have_attribute("data-current", screenshot)

    def wait_until_saved(self) -> None:
        expect(self.root).to_have_attribute("data-unsaved", "0")

    def expect_announced(self, text: str) -> None:
        """Expect that a live region says so, for people who do not see the page."""
        region = self.visitor.page.locator("[aria-live]", has_text=text)
        expect(region.first).to_be_attached()
