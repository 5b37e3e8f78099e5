"""Captures stories in several variants with several browsers in parallel."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.async_api import Browser
from playwright.async_api import Error as BrowserError

from visual_review.client.capture.browser import (
    CLOSING_SECONDS,
    BrowserLauncher,
    close_browser,
    first_line_of,
    open_launcher,
)
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.preview import (
    Preview,
    PreviewError,
    Skipped,
    open_preview,
)
from visual_review.client.capture.results import CaptureReport, CaptureSettings, Shot
from visual_review.client.capture.server import StaticServer
from visual_review.client.capture.stories import Story, read_stories
from visual_review.client.capture.theme_pairs import ThemePairCounter
from visual_review.client.capture.theme_search import find_theme_setting
from visual_review.client.capture.themes import ThemeFinding
from visual_review.client.capture.variants import Variant

OnShot = Callable[[Shot], None]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Stories that share one page. Chunks depend only on the list of stories.

    So the same stories always precede a story, however many workers there are.
    """

    variant: Variant
    stories: tuple[Story, ...]


def split_into_chunks(
    stories: Sequence[Story], variants: Sequence[Variant], size: int
) -> Iterator[Chunk]:
    for variant in variants:
        for start in range(0, len(stories), size):
            yield Chunk(variant, tuple(stories[start : start + size]))


def capture(
    folder: Path,
    variants: Sequence[Variant],
    stories: Sequence[Story] | None = None,
    settings: CaptureSettings | None = None,
    on_shot: OnShot = lambda _: None,
) -> CaptureReport:
    """Capture ``stories`` (by default all of the index) of the built Storybook in ``folder``.

    Every shot is passed to ``on_shot`` immediately, one at a time, in any order and in another
    thread than the caller's, and not kept. An exception of ``on_shot`` ends the capture. A
    story that fails is a shot with an error. Raises ``CaptureError`` if nothing can be captured:
    no Storybook, no browser. Must not be called in an event loop.
    """
    every_story = read_stories(folder)
    chosen_stories = every_story if stories is None else list(stories)
    chosen_settings = settings or CaptureSettings()
    chunks = deque(
        split_into_chunks(
            chosen_stories, list(dict.fromkeys(variants)), chosen_settings.stories_per_page
        )
    )
    with StaticServer(folder) as server:
        return asyncio.run(_Run(chosen_settings, chunks, on_shot, every_story).run(server.port))


class _Run:
    def __init__(
        self,
        settings: CaptureSettings,
        chunks: deque[Chunk],
        on_shot: OnShot,
        every_story: Sequence[Story],
    ) -> None:
        self._settings = settings
        self._every_story = every_story
        self._theme_pairs = ThemePairCounter()
        self._chunks = chunks
        self._on_shot = on_shot
        self._one_at_a_time = asyncio.Lock()
        self._counts: Counter[str] = Counter()

    async def run(self, port: int) -> CaptureReport:
        async with open_launcher(self._settings, port) as launcher:
            finding = await self._find_themes(launcher)
            launcher.settings = replace(self._settings, theme_setting=finding.setting)
            count = max(1, min(self._settings.workers, len(self._chunks)))
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(count):
                        group.create_task(self._work(launcher))
            except BaseExceptionGroup as errors:
                # The caller expects the errors of its own callback, not our exception group.
                raise errors.exceptions[0] from None
        return CaptureReport(
            shots_ok=self._counts["ok"],
            failed=self._counts["failed"],
            skipped=self._counts["skipped"],
            renderer=launcher.renderer,
            sandbox=launcher.sandbox,
            themes=finding,
            theme_pairs=self._theme_pairs.count(),
        )

    async def _find_themes(self, launcher: BrowserLauncher) -> ThemeFinding:
        worker = _Worker(launcher)
        try:
            return await find_theme_setting(
                lambda: worker.open(Variant("light", "desktop")),
                self._every_story,
                self._settings,
                both_themes=len({chunk.variant.theme for chunk in self._chunks}) > 1,
            )
        except PreviewError as error:
            raise CaptureError(str(error)) from error
        finally:
            await worker.close()

    async def _work(self, launcher: BrowserLauncher) -> None:
        worker = _Worker(launcher)
        try:
            while self._chunks:
                await self._capture_chunk(worker, self._chunks.popleft())
        finally:
            await worker.close()

    async def _capture_chunk(self, worker: "_Worker", chunk: Chunk) -> None:
        """Capture a chunk; after a failure, continue in a new page."""
        remaining = deque(chunk.stories)
        while remaining:
            try:
                preview = await worker.open(chunk.variant)
            except PreviewError as error:
                if not self._counts:
                    # No story was ever shown, so the problem is not a page or a story.
                    raise CaptureError(str(error)) from error
                for story in remaining:
                    await self._report(_failed_shot(story, chunk.variant, error))
                return
            await self._capture_on_page(worker, preview, chunk.variant, remaining)

    async def _capture_on_page(
        self, worker: "_Worker", preview: Preview, variant: Variant, remaining: deque[Story]
    ) -> None:
        first = True
        while remaining:
            story = remaining[0]
            try:
                result = await preview.capture(story, variant)
            except PreviewError as error:
                await worker.close_browser()
                # An earlier story may have broken the page; on a new page it must be this one.
                if first:
                    remaining.popleft()
                    await self._report(_failed_shot(story, variant, error))
                return
            remaining.popleft()
            await self._report(result)
            # What a failed story left behind must not appear in the next one.
            if isinstance(result, Shot) and result.error is not None:
                break
            first = False
        await worker.close_preview(preview)

    async def _report(self, result: Shot | Skipped) -> None:
        if isinstance(result, Skipped):
            self._counts["skipped"] += 1
            return
        self._counts["ok" if result.error is None else "failed"] += 1
        self._theme_pairs.add(result)
        async with self._one_at_a_time:
            # Writing an image would otherwise block all browsers.
            await asyncio.to_thread(self._on_shot, result)


def _failed_shot(story: Story, variant: Variant, error: PreviewError) -> Shot:
    return Shot(story, variant, None, 0, 0, error=str(error))


class _Worker:
    """Keeps one browser and replaces it if a story has made it hang or crash."""

    def __init__(self, launcher: BrowserLauncher) -> None:
        self._launcher = launcher
        self._browser: Browser | None = None

    async def open(self, variant: Variant) -> Preview:
        """Return a loaded page; retries once in a new browser before raising ``PreviewError``."""
        try:
            return await self._open(variant)
        except (PreviewError, BrowserError):
            await self.close_browser()
        try:
            return await self._open(variant)
        except BrowserError as error:
            raise PreviewError(f"The browser crashed: {first_line_of(error)}") from error

    async def _open(self, variant: Variant) -> Preview:
        if self._browser is None or not self._browser.is_connected():
            self._browser = await self._launcher.take_browser()
        launcher = self._launcher
        return await open_preview(self._browser, variant, launcher.settings, launcher.user_agent)

    async def close_preview(self, preview: Preview) -> None:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await preview.close()
        except (TimeoutError, BrowserError):
            await self.close_browser()

    async def close_browser(self) -> None:
        """Close the browser, whatever state it is in."""
        browser, self._browser = self._browser, None
        if browser is not None:
            await close_browser(browser)

    async def close(self) -> None:
        await self.close_browser()
