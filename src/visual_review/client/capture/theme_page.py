"""The page on which the theme of a Storybook is searched for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from visual_review.client.capture.browser import BrowserLauncher
from visual_review.client.capture.devtools import BrowserError, BrowserProcess
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.failures import START_REMEDY, PageError
from visual_review.client.capture.leftovers import Leftovers
from visual_review.client.capture.page import Page, open_page
from visual_review.client.capture.stories import Story
from visual_review.client.capture.theme_search import BrokenPageError, find_theme_setting
from visual_review.client.capture.themes import MEDIA, ThemeFinding, ThemeSetting
from visual_review.client.capture.variants import Variant
from visual_review.variants import DEVICES, THEMES, Device, Theme, Viewport

# The same for every capture, so that the finding does not depend on the captured variants.
VARIANT = Variant("light", "desktop")

# A story that needs more work proves nothing, and a sample of broken stories must not take minutes.
STORY_SECONDS: Final = 8.0
BLOCKED_SECONDS: Final = 4.0
SETTLE_SECONDS: Final = 2.0
# Of leftovers.js: a page for only a few stories need not be replaced.
ANYTHING: Final = "*"


class ToleratedLeftovers(Leftovers):
    """Tolerates all leftovers: two equal images in light show that leftovers do not matter."""

    def describe_for(self, story: Story, theme: Theme) -> dict[str, Any]:
        return {**super().describe_for(story, theme), "tolerated": [ANYTHING]}


class ThemePage:
    """A page like those of the capture, on which the theme changes without a new load."""

    def __init__(self, browser: BrowserProcess, page: Page) -> None:
        self.browser = browser
        self.page = page
        self._theme: tuple[ThemeSetting, Theme, Theme] = (MEDIA, "light", "light")
        self._shown: Story | None = None

    async def read_theme_facts(self) -> object:
        """Return the page's facts about its themes; not to be trusted."""
        return await self.page.evaluate("__visualReview.themeFacts()")

    async def apply_theme(self, setting: ThemeSetting, theme: Theme, preferred: Theme) -> None:
        """Switch the theme of all stories shown from now on; the browser prefers ``preferred``."""
        self._theme = (setting, theme, preferred)
        await self.page.switch_theme(*self._theme)

    async def sample(self, story: Story) -> bytes | None:
        """Return an image of the first screen of ``story``; None if failed or skipped."""
        try:
            return await self._sample(story)
        except (PageError, BrowserError) as error:
            raise BrokenPageError(story) from error

    async def _sample(self, story: Story) -> bytes | None:
        if story == self._shown:
            # Storybook ignores a request for the story already on the page.
            await self.page.set_variant(VARIANT)
            await self.page.switch_theme(*self._theme)
        self._shown = story
        result = await self.page.take(story, VARIANT)
        if result.outcome.kind != "rendered" or result.skip:
            return None
        viewport = DEVICES[VARIANT.device]
        image = await self.page.screenshot(viewport.width, viewport.height, viewport.height)
        await self.page.finish(story, VARIANT)
        return image

    def find_loaded(self, viewports: Mapping[Device, Viewport]) -> Variant | None:
        """Return the variant of the page; None after a story, or with another size."""
        same_size = viewports.get(VARIANT.device) == DEVICES[VARIANT.device]
        return VARIANT if same_size and self._shown is None else None

    async def close(self) -> None:
        """Close the page with its browser in any state."""
        await self.browser.close()


async def search_theme(
    launcher: BrowserLauncher,
    stories: Sequence[Story],
    on_guess: Callable[[ThemeSetting | None], None] = lambda _: None,
) -> tuple[ThemeFinding, ThemePage | None]:
    """Search on a page of ``launcher``; return a working page, too.

    ``on_guess`` gets the probable setting for light, before any story was shown.

    Raises ``CaptureError`` if no page can be loaded.
    """
    settings = replace(
        launcher.settings,
        viewports=DEVICES,
        captured_themes=THEMES,
        # A story captured only on phones shows the theme on the sampled page as well.
        story_rules=tuple(
            replace(rule, themes=(), devices=()) for rule in launcher.settings.story_rules
        ),
        story_timeout=STORY_SECONDS,
        blocked_timeout=BLOCKED_SECONDS,
        settle_timeout=SETTLE_SECONDS,
    )

    async def open_theme_page() -> ThemePage:
        browser = await launcher.take_browser()
        page = await open_page(browser, settings, launcher.user_agent)
        page.leftovers = ToleratedLeftovers()
        theme_page = ThemePage(browser, page)
        try:
            await page.set_variant(VARIANT)
        except PageError:
            await theme_page.close()
            raise
        return theme_page

    try:
        return await find_theme_setting(open_theme_page, stories, launcher.settings, on_guess)
    except PageError as error:
        raise CaptureError(f"{error}. {START_REMEDY}") from error
    except BrowserError as error:
        raise CaptureError(str(error)) from error
