"""A world whose pages are served over HTTP and shown in a real browser."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, expect

from tests.support.browser import Visitor, Visitors, wait_for
from tests.support.images import page
from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.builds.models import Build

COLORS = ("green", "navy", "purple", "orange", "black")
DECIDING = frozenset({"a", "r", "Shift+A", "Shift+R", "t", "Shift+T"})


@dataclass
class ReviewPage:
    """The review page, used like a person; ``keys`` counts the pressed keys."""

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
        """Wait for the images: no one decides about an image not shown yet."""
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
        """Expect the text in a live region, for people who do not see the page."""
        region = self.visitor.page.locator("[aria-live]", has_text=text)
        expect(region.first).to_be_attached()


@dataclass
class RenderedWorld(World):
    """The world of Alice; ``visitors`` opens the windows of all ``personas``."""

    personas: Personas = field(kw_only=True)
    visitors: Visitors = field(kw_only=True)

    def open_window(self, persona: Persona | None = None, **options: Any) -> Visitor:  # noqa: ANN401 - Playwright's own options.
        """Open a new window, of someone who has not signed in if no persona is given."""
        return self.visitors.open(persona, **options)

    def review(
        self,
        build: Build,
        persona: Persona | None = None,
        shot: str = "",
        **options: Any,  # noqa: ANN401 - Playwright's own options.
    ) -> ReviewPage:
        """Open the build as Bob, or as another persona, at a screenshot if given."""
        review = ReviewPage(self.open_window(persona or self.personas.bob, **options))
        review.open(path_of(build, shot))
        return review


def path_of(build: Build, shot: str = "") -> str:
    return f"/builds/{build.id}?shot={shot}" if shot else f"/builds/{build.id}"


def publish_changes(world: World, changes: int, **order: object) -> Build:
    """Publish a build with ``changes`` changed stories, and one unchanged."""
    stories = tuple(f"card--number-{number:03}" for number in range(changes))
    before = dict.fromkeys(stories, page(320, 240, "red"))
    same = {"menu--same": page(320, 240)}
    world.approve(world.publish(before | same))
    return world.publish(changed_pages(stories) | same, **order)  # type: ignore[arg-type]


def changed_pages(stories: tuple[str, ...]) -> Mapping[str, bytes]:
    """Return pages whose button has another color and another place in each."""
    return {
        story: page(
            320,
            240,
            COLORS[number % len(COLORS)],
            at=(60 + number % 20 * 10, 40 + number // 20 * 8),
        )
        for number, story in enumerate(stories)
    }
