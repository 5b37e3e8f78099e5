"""A worker shows stories on one page and recovers from broken pages."""

import asyncio
import struct
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from visual_review.client.capture.browser import BrowserLauncher
from visual_review.client.capture.devtools import BrowserProcess
from visual_review.client.capture.errors import (
    OUTCOMES,
    START_REMEDY,
    CaptureError,
    PageError,
    Remedy,
    late,
)
from visual_review.client.capture.leftovers import LEFTOVER, LeftBehindError
from visual_review.client.capture.notes import TRUNCATED, with_image_notes
from visual_review.client.capture.page import Page, open_page
from visual_review.client.capture.page_result import PageResult
from visual_review.client.capture.results import CaptureSettings, Note, Shot, StoryTimes
from visual_review.client.capture.schedule import Item
from visual_review.client.capture.stories import Story
from visual_review.client.capture.themes import MEDIA
from visual_review.client.capture.variants import Variant

# The first image, and two more in case of doubt.
MOST_IMAGES: Final = 3


def is_decided(images: Sequence[bytes]) -> bool:
    """Return whether no further image is needed: two are equal, or there are enough."""
    return len(set(images)) < len(images) or len(images) >= MOST_IMAGES


def choose_image(images: Sequence[bytes], doubts: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Return the index of the valid image, and why the story is unstable.

    Two equal images mean a stable story. After a difference, a third image decides: two equal
    images of three are likely right, but the story gets a mark.
    """
    for index, image in enumerate(images):
        if image in images[index + 1 :]:
            equal = len(images) < MOST_IMAGES
            return index, () if equal else (_describe("one of three images differed", doubts),)
    return len(images) - 1, (_describe("three images all differed", doubts),)


def _describe(what: str, doubts: Sequence[str]) -> str:
    return f"{what} ({'; '.join(doubts)})"


LATE: Final = "late"
# Between the images of a story in doubt.
DOUBT_SECONDS: Final = 0.3
RENDERED: Final = "rendered"
PNG_SIZE: Final = slice(16, 24)


@dataclass(frozen=True, slots=True)
class SkippedStory:
    """The parameters of the story disable its capture; ``failed`` after a rendering error."""

    failed: bool = False


def _failed(story: Story, variant: Variant, error: PageError) -> Shot:
    return Shot(story, variant, None, 0, 0, error=str(error))


def _spoils_page(result: Shot | SkippedStory) -> bool:
    """Return whether the story failed or may still be running."""
    if isinstance(result, SkippedStory):
        return result.failed
    return result.error is not None or result.unstable is not None


Report = Callable[[Shot | SkippedStory], Awaitable[None]]


class Worker:
    """Keeps one page and replaces the page, or the browser, after a story has broken it."""

    def __init__(
        self,
        launcher: BrowserLauncher,
        report: Report,
        hopeless: dict[Story, PageError],
        *,
        is_alone: bool = False,
    ) -> None:
        """``hopeless``: the stories that took too long on any page, in any variant.

        Such stories are ``given_up`` until a worker ``is_alone``, which tries each story once more.
        """
        self._launcher = launcher
        self._report = report
        self._hopeless = hopeless
        self._is_alone = is_alone
        self.given_up: list[Item] = []
        self._leftovers = launcher.leftovers
        self._browser: BrowserProcess | None = None
        self._page: Page | None = None
        # The variant of the page; None if the page must be loaded before the next story.
        self.loaded: Variant | None = None
        # Loaded in this variant, except for the theme's setting, which was not known yet.
        self._prepared: Variant | None = None
        self._shown = 0
        # The story before on this page, as long as the page is not replaced.
        self._previous: Story | None = None
        self._shown_any = is_alone
        self._times = StoryTimes()

    @property
    def _settings(self) -> CaptureSettings:
        return self._launcher.settings

    def use_page(self, browser: BrowserProcess, page: Page, loaded: Variant | None) -> None:
        """Use a page with other settings; ``loaded`` is the page's variant if no story was shown."""
        self._browser, self._page, self._prepared = browser, page, loaded

    def start_anew(self, stories: Iterable[Story]) -> None:
        """Forget the shots of ``stories``, which were taken with another setting."""
        self._leftovers = self._launcher.leftovers
        self.given_up.clear()
        for story in stories:
            self._hopeless.pop(story, None)
            # A page without a story so far only needs the right setting.
            self.loaded = self._prepared = None

    async def prepare(self, variant: Variant) -> None:
        """Load the page before it is known how the theme is switched."""
        try:
            await self._load_once(variant)
        except (PageError, CaptureError):
            # The problem is noticed again, and reported, when the page is needed.
            await self._close_page()
        else:
            self._prepared = variant

    async def capture(self, story: Story, variant: Variant) -> None:
        """Report the story in this variant exactly once, or give the story up for now."""
        if story in self._hopeless:
            await self._give_up(story, variant)
            return
        result = await self._capture_or_fail(story, variant)
        if story in self._hopeless:
            await self._give_up(story, variant)
            return
        if _spoils_page(result):
            # Leftovers of a broken story must not appear in the next story.
            self.loaded = None
        await self._report(result)

    async def _give_up(self, story: Story, variant: Variant) -> None:
        if self._is_alone:
            await self._report(_failed(story, variant, self._hopeless[story]))
        else:
            self.given_up.append(Item(story, variant))

    async def _capture_or_fail(self, story: Story, variant: Variant) -> Shot | SkippedStory:
        retried = False
        while True:
            try:
                return await self._capture_loaded(story, variant)
            except PageError as error:
                await self._close_page()
                if error.remedy is not Remedy.NEW_PAGE or retried:
                    if error.remedy is Remedy.ALONE:
                        self._hopeless[story] = error
                    return _failed(story, variant, error)
                retried = True

    async def _capture_loaded(self, story: Story, variant: Variant) -> Shot | SkippedStory:
        """Load the page unless already in this variant. Raises ``PageError``."""
        self._times = StoryTimes()
        if self.loaded != variant or self._shown >= self._settings.stories_per_load:
            with self._times.measure("load"):
                await self._load(variant)
        self._shown += 1
        return await self._capture_clean(story, variant)

    async def _load(self, variant: Variant) -> None:
        """Load the page; once more in a new browser before raising ``PageError``."""
        self.loaded = None
        try:
            await self._load_once(variant)
        except PageError as first:
            await self._close_browser()
            if first.remedy is Remedy.ALONE and not self._shown_any:
                # The Storybook itself is the reason, and has been waited for long enough.
                raise CaptureError(f"{first}. {START_REMEDY}") from first
            try:
                await self._load_once(variant)
            except PageError as error:
                if not self._shown_any:
                    # No story was ever shown, so the problem is not a page or a story.
                    raise CaptureError(str(error)) from error
                raise
        self.loaded, self._shown = variant, 0

    async def _load_once(self, variant: Variant) -> None:
        prepared, self._prepared = self._prepared, None
        if self._browser is None or not self._browser.running:
            await self._close_browser()
            self._browser = await self._launcher.take_browser()
        if self._page is None:
            prepared = None
            self._page = await open_page(self._browser, self._settings, self._launcher.user_agent)
        self._previous = None
        settings = self._launcher.settings_for(variant)
        self._page.leftovers = self._leftovers
        self._page.use_settings(settings)
        if prepared != variant or (settings.theme_setting or MEDIA).is_stored:
            await self._page.set_variant(variant)
        else:
            await self._page.complete_theme(variant.theme)

    async def _capture_clean(self, story: Story, variant: Variant) -> Shot | SkippedStory:
        """Capture ``story`` without anything of earlier ones. Raises ``PageError``."""
        with suppress(LeftBehindError):
            return await self._capture_story(story, variant)
        with self._times.measure("load"):
            await self._load(variant)
        try:
            return await self._capture_story(story, variant)
        except LeftBehindError as error:
            raise PageError(f"A new page already has {error}.") from error

    async def _capture_story(self, story: Story, variant: Variant) -> Shot | SkippedStory:
        """Raises ``PageError`` or ``LeftBehindError`` if the page cannot be used any more."""
        page = self._page
        if page is None:
            raise PageError("The page is not open.", Remedy.NEW_PAGE)
        with self._times.measure("other"):
            result = await page.take(story, variant, early=True)
        self._times.split(result.times)
        self._shown_any = True
        self._check_leftovers(story, variant, result)
        kind = result.outcome.kind
        if result.skip:
            if kind == RENDERED:
                await page.finish(story, variant)
            return SkippedStory(failed=kind != RENDERED)
        if kind == LATE:
            raise late(self._settings.story_timeout, result.outcome.phase)
        if kind != RENDERED:
            message = f"{OUTCOMES.get(kind, kind)}: {result.outcome.message}"
            return Shot(story, variant, None, 0, 0, error=message)
        shot = await self._take_image(page, story, variant, result)
        if result.gestures:
            # The pointer stays in place, and whatever a click has opened stays open.
            self.loaded = None
        with self._times.measure("finish"):
            await page.finish(story, variant)
        return shot

    def _check_leftovers(self, story: Story, variant: Variant, result: PageResult) -> None:
        """Raises ``LeftBehindError`` if the page has something of earlier stories."""
        previous, self._previous = self._previous, story
        memory = self._leftovers
        if previous is None:
            memory.add_loaded(story, result.loaded_by_file, result.loaded_by_story)
            if result.outcome.kind == RENDERED and not result.skip:
                memory.add_attributes(story, variant.theme, result.attributes)
            return
        memory.add(previous, variant.theme, result.leftovers)
        if result.outcome.kind == LEFTOVER:
            memory.add_missed(story, variant.theme, result.leftovers)
            raise LeftBehindError(result.leftovers)

    async def _take_image(
        self, page: Page, story: Story, variant: Variant, result: PageResult
    ) -> Shot:
        result, png = await self._take_first_image(page, story, variant, result)
        takes, images = [result], [png]
        while result.doubts and not is_decided(images):
            await asyncio.sleep(DOUBT_SECONDS)
            with self._times.measure("settle"):
                takes.append(await page.retake(story, variant))
            images.append(await self._screenshot(page, variant, takes[-1]))
        index, unstable = choose_image(images, result.doubts) if result.doubts else (0, ())
        chosen, png = takes[index], images[index]
        # From the PNG's header: the rendered size counts, not the requested size.
        width, height = struct.unpack(">II", png[PNG_SIZE])
        shot = Shot(
            story,
            variant,
            png,
            width,
            height,
            unstable="; ".join((*chosen.unstable, *unstable)) or None,
            threshold=chosen.threshold,
            notes=page.failed_requests.add_to((*chosen.notes, *self._truncation(chosen))),
            regions=chosen.regions_in_image,
            times=self._times,
        )
        with self._times.measure("encode"):
            # Encoding takes milliseconds, and other pages need their commands meanwhile.
            return await asyncio.to_thread(with_image_notes, shot)

    async def _take_first_image(
        self, page: Page, story: Story, variant: Variant, result: PageResult
    ) -> tuple[PageResult, bytes]:
        """Return the image of the story at rest: if the first was taken too early, another."""
        png = await self._screenshot(page, variant, result)
        with self._times.measure("settle"):
            if not result.early or await page.stayed_quiet():
                return result, png
            result = await page.retake(story, variant)
        if result.outcome.kind == LEFTOVER:
            raise LeftBehindError(result.leftovers)
        return result, await self._screenshot(page, variant, result)

    async def _screenshot(self, page: Page, variant: Variant, result: PageResult) -> bytes:
        viewport = self._settings.viewports[variant.device]
        height = min(max(result.height, viewport.height), self._settings.max_height)
        with self._times.measure("image"):
            return await page.screenshot(viewport.width, height, viewport.height, result.clip)

    def _truncation(self, result: PageResult) -> Iterator[Note]:
        most = self._settings.max_height
        if result.height > most:
            detail = f"the page is {result.height} pixels high, the image ends at {most}"
            yield Note(TRUNCATED, detail)

    async def _close_page(self) -> None:
        page, self._page = self._page, None
        self.loaded = None
        if page is None:
            return
        try:
            await page.close()
        except PageError:
            await self._close_browser()

    async def _close_browser(self) -> None:
        """Close the browser in any state."""
        browser, self._browser = self._browser, None
        self._page = self.loaded = None
        if browser is not None:
            await browser.close()

    async def close(self) -> None:
        await self._close_browser()
