"""Finds how a Storybook switches its theme, and proves the way by the pixels of a few stories."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

from visual_review.client.capture.browser import BrowserLauncher
from visual_review.client.capture.devtools import BrowserError, BrowserProcess
from visual_review.client.capture.errors import START_REMEDY, CaptureError, PageError
from visual_review.client.capture.leftovers import Leftovers
from visual_review.client.capture.page import Page, open_page
from visual_review.client.capture.results import CaptureSettings
from visual_review.client.capture.stories import Story
from visual_review.client.capture.themes import (
    MEDIA,
    PageFacts,
    ThemeFinding,
    ThemeSetting,
    find_global_setting,
    list_candidates,
    read_facts,
)
from visual_review.client.capture.variants import Variant
from visual_review.variants import DEVICES, THEMES, Device, Theme, Viewport

# The second sample is for Storybooks in which only few stories show the theme.
SAMPLES: Final = (3, 9)
DEFAULT_GLOBAL: Final = "theme"
# Ways named by the authors of a Storybook.
DECLARED: Final = ("global", "dark-mode-addon")
# A new page is opened after a sampled story has broken the page.
ATTEMPTS: Final = 3
Images = Mapping[str, bytes]
# The same for every capture, so that the finding does not depend on the captured variants.
VARIANT = Variant("light", "desktop")
# A story that needs more work proves nothing, and a sample of broken stories must not take minutes.
STORY_SECONDS: Final = 8.0
BLOCKED_SECONDS: Final = 4.0
SETTLE_SECONDS: Final = 2.0
# Of leftovers.js: a page for only a few stories need not be replaced.
ANYTHING: Final = "*"


class BrokenPageError(Exception):
    """A sampled story has made the page unusable."""

    def __init__(self, story: Story) -> None:
        super().__init__(f"{story.id} broke the page.")
        self.story = story


class SamplePage(Protocol):
    """A loaded page of the capture's own browser."""

    async def read_theme_facts(self) -> object:
        """Return the page's facts about its themes; not to be trusted."""

    async def apply_theme(self, setting: ThemeSetting, theme: Theme, preferred: Theme) -> None:
        """Switch the theme of all stories shown from now on; the browser prefers ``preferred``."""

    async def sample(self, story: Story) -> bytes | None:
        """Return an image of a story; None if the story failed or is not captured.

        Raises ``BrokenPageError`` for an unusable page.
        """

    async def close(self) -> None:
        """Close the page in any state."""


P = TypeVar("P", bound=SamplePage)


async def find_theme_setting(
    open_page: Callable[[], Awaitable[P]],
    stories: Sequence[Story],
    settings: CaptureSettings,
    on_guess: Callable[[ThemeSetting | None], None] = lambda _: None,
) -> tuple[ThemeFinding, P | None]:
    """Return how the theme is switched; without any proof, by the browser's preference.

    Return the page as well, unless stories have broken all opened pages: then the Storybook's
    declared theme is used, without a proof.

    The browser's preference is not proved here, either: the images of the capture show its effect.

    ``stories`` are all of the Storybook, in the order of its index. Only the stories and the
    settings decide, never the elapsed time: shards and partial builds must find the same.
    ``on_guess`` gets the probable setting for light, once for each opened page.
    """
    usable = list(stories)
    for attempt in range(ATTEMPTS):
        page = await open_page()
        search = _Search(page, settings)
        try:
            on_guess(await search.guess())
            return await search.run(usable), page
        except BrokenPageError as error:
            usable.remove(error.story)
            await page.close()
            if attempt + 1 == ATTEMPTS:
                return search.give_up(), None
    raise AssertionError  # The last attempt returns.


def choose_sample(stories: Sequence[Story], size: int) -> list[Story]:
    """Return ``size`` stories, spread over the index."""
    if len(stories) <= size:
        return list(stories)
    return [stories[index * len(stories) // size] for index in range(size)]


class _Search:
    def __init__(self, page: SamplePage, settings: CaptureSettings) -> None:
        self._page = page
        self._settings = settings
        self._facts = PageFacts()
        self._candidates: Sequence[ThemeSetting] = ()
        self._configured = False
        self._tried: list[str] = []
        self._sampled = 0

    async def guess(self) -> ThemeSetting | None:
        """Return the probable setting for light, before any story was shown; None if unclear."""
        await self._list_candidates()
        first = self._candidates[0] if self._candidates else MEDIA
        if first.kind == "global" or first.light is not None:
            return first
        return None if first.is_stored else MEDIA

    async def run(self, stories: Sequence[Story]) -> ThemeFinding:
        if known := self._find_known(self._settings.theme_expectation.proved_way):
            return known
        seen: list[Story] = []
        for size in SAMPLES:
            sample = [each for each in choose_sample(stories, size) if each not in seen]
            light = await self._take(sample, MEDIA, "light")
            seen += sample
            self._sampled += len(light)
            await self._list_candidates()
            if finding := await self._try_all(sample, light):
                return finding
            if not self._candidates:
                break
        return self._fall_back()

    def give_up(self) -> ThemeFinding:
        """Return the finding without the stories of broken pages."""
        known = self._find_known(self._settings.theme_expectation.before)
        return replace(known or self._fall_back(), interrupted=True)

    def _find_known(self, before: ThemeFinding | None) -> ThemeFinding | None:
        """Return the way of ``before`` if the page offers this way."""
        if before is None or self._configured:
            return None
        for candidate in self._candidates:
            found = ThemeFinding(
                candidate, before.changed, before.sampled, starts_light=self._is_light(candidate)
            )
            if found.is_same_way(before):
                return found
        return None

    async def _list_candidates(self) -> None:
        # Some style rules and listeners exist only after a story was shown.
        self._facts = read_facts(await self._page.read_theme_facts())
        configured = self._list_configured()
        self._configured = bool(configured)
        self._candidates = configured or list_candidates(self._facts)

    def _list_configured(self) -> Sequence[ThemeSetting]:
        settings = self._settings
        if settings.theme_candidates:
            return settings.theme_candidates
        if not settings.theme_values and settings.theme_global == DEFAULT_GLOBAL:
            return ()
        found = find_global_setting(
            self._facts.declared, settings.theme_global, settings.theme_values
        )
        return (found,) if found else ()

    async def _try_all(self, sample: Sequence[Story], light: Images) -> ThemeFinding | None:
        """Return the first candidate that changes pixels of ``sample``."""
        for candidate in self._candidates if sample else ():
            if proof := await self._prove(candidate, sample, light):
                return replace(proof, configured=self._configured)
            if (text := candidate.describe()) not in self._tried:
                self._tried.append(text)
        return None

    async def _prove(
        self, candidate: ThemeSetting, sample: Sequence[Story], initial: Images
    ) -> ThemeFinding | None:
        """Return the candidate if a story differs between light and dark, but not in light.

        The browser prefers light all the time, so that nothing but the candidate is proved.
        """
        dark = await self._take_dark(candidate, sample, initial)
        changed = [each for each in sample if _differs(each, initial, dark)]
        if not changed and self._starts_light(candidate):
            return None
        await self._page.apply_theme(candidate, "light", "light")
        light: dict[str, bytes] = {}
        for story in changed or sample:
            light |= await self._sample([story])
            # The page's first image in light has now been seen twice.
            if _differs(story, light, dark) and not _differs(story, light, initial):
                return ThemeFinding(
                    candidate,
                    1,
                    sample.index(story) + 1,
                    starts_light=story.id in initial and self._is_light(candidate),
                )
        unsure = [each for each in changed or sample if _differs(each, light, dark)]
        await self._take(unsure[:1], candidate, "dark", preferred="light")
        again = await self._take(unsure, candidate, "light")
        proved = [each for each in unsure if not _differs(each, light, again)]
        return ThemeFinding(candidate, len(proved), len(sample)) if proved else None

    async def _take_dark(
        self, candidate: ThemeSetting, sample: Sequence[Story], initial: Images
    ) -> Images:
        """Return dark images up to the image after the first difference.

        Storybook shows a story again only after another story in between.
        """
        await self._page.apply_theme(candidate, "dark", "light")
        images: dict[str, bytes] = {}
        for before, story in zip([None, *sample], sample, strict=False):
            images |= await self._sample([story])
            if before and _differs(before, initial, images):
                break
        return images

    def _starts_light(self, candidate: ThemeSetting) -> bool:
        """Return whether switching to light changes nothing in a newly loaded page."""
        if candidate.kind == "global":
            initial = self._facts.declared.values.get(candidate.name)
            # To a story, an unset boolean is false.
            return initial == candidate.light or (initial is None and candidate.light is False)
        return candidate.light is None

    def _is_light(self, candidate: ThemeSetting) -> bool:
        """Return whether a newly loaded page has nothing that light would remove."""
        return candidate.kind in ("class", "attribute") and candidate.light is None

    def _fall_back(self) -> ThemeFinding:
        if self._configured:
            first = self._candidates[0]
            return ThemeFinding(
                first, 0, self._sampled, configured=True, starts_light=self._is_light(first)
            )
        tried = tuple(self._tried)
        declared = next((each for each in self._candidates if each.kind in DECLARED), None)
        if declared is None:
            return ThemeFinding(MEDIA, tried=tried)
        # The authors declared a theme, maybe with an effect on stories outside the sample.
        return ThemeFinding(
            declared, 0, self._sampled, tried=tried, starts_light=self._is_light(declared)
        )

    async def _take(
        self,
        sample: Sequence[Story],
        setting: ThemeSetting,
        theme: Theme,
        preferred: Theme | None = None,
    ) -> dict[str, bytes]:
        if sample:
            await self._page.apply_theme(setting, theme, preferred or theme)
        return await self._sample(sample)

    async def _sample(self, stories: Sequence[Story]) -> dict[str, bytes]:
        images = {story.id: await self._page.sample(story) for story in stories}
        return {story: image for story, image in images.items() if image is not None}


def _differs(story: Story, one: Images, other: Images) -> bool:
    """Return whether both have an image of ``story``, and the two images differ."""
    first, second = one.get(story.id), other.get(story.id)
    return first is not None and second is not None and first != second


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
