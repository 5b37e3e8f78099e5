"""Walks all stories in all wanted variants with several browsers at once."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Playwright, async_playwright
from playwright.async_api import Error as BrowserError

from visual_review.client.capture.chromium import find_chromium, local_flags, stable_flags
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.preview import Preview, PreviewError, Skipped, open_preview, words
from visual_review.client.capture.results import CaptureReport, CaptureSettings, Renderer, Shot
from visual_review.client.capture.server import StaticServer
from visual_review.client.capture.stories import Story, read_stories
from visual_review.client.capture.variants import Variant

CLOSING_SECONDS = 10
# Storybook leaves out its own waiting for animations when it sees this name.
TEST_RUNNER = "StorybookTestRunner"

OnShot = Callable[[Shot], None]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Stories that share one page. The cut depends on nothing but the list of stories.

    So a story always has the same stories before it, however many workers there are.
    """

    variant: Variant
    stories: tuple[Story, ...]


def cut(stories: Sequence[Story], variants: Sequence[Variant], size: int) -> Iterator[Chunk]:
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
    """Capture ``stories`` (all of the index by default) of the built Storybook in ``folder``.

    Every shot goes to ``on_shot`` as soon as it is taken, one at a time, in no fixed order and
    from another thread than the caller's; nothing is kept. What ``on_shot`` raises ends the
    capture. A story that fails is a shot with an error. Raises ``CaptureError`` when nothing can
    be captured at all: no Storybook, no browser. Must not be called inside an event loop.
    """
    chosen = read_stories(folder) if stories is None else list(stories)
    rules = settings or CaptureSettings()
    chunks = deque(cut(chosen, list(dict.fromkeys(variants)), rules.stories_per_page))
    with StaticServer(folder) as server:
        return asyncio.run(_Run(rules, chunks, on_shot).all(server.port))


class _Run:
    def __init__(self, settings: CaptureSettings, chunks: deque[Chunk], on_shot: OnShot) -> None:
        self._settings = settings
        self._chunks = chunks
        self._on_shot = on_shot
        self._one_at_a_time = asyncio.Lock()
        self._counts: Counter[str] = Counter()

    async def all(self, port: int) -> CaptureReport:
        async with async_playwright() as playwright:
            starter = _Starter(playwright, self._settings, port)
            renderer = await starter.renderer()
            count = max(1, min(self._settings.workers, len(self._chunks)))
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(count):
                        group.create_task(self._work(starter))
            except BaseExceptionGroup as errors:
                # The caller knows the errors of its own callback, not our group around them.
                raise errors.exceptions[0] from None
        return CaptureReport(
            shots_ok=self._counts["ok"],
            failed=self._counts["failed"],
            skipped=self._counts["skipped"],
            renderer=renderer,
        )

    async def _work(self, starter: "_Starter") -> None:
        worker = _Worker(starter)
        try:
            while self._chunks:
                await self._walk(worker, self._chunks.popleft())
        finally:
            await worker.close()

    async def _walk(self, worker: "_Worker", chunk: Chunk) -> None:
        """Capture a chunk; after any failure the rest goes on in a new page."""
        waiting = deque(chunk.stories)
        while waiting:
            try:
                preview = await worker.open(chunk.variant)
            except PreviewError as error:
                if not self._counts:
                    # Nothing was ever shown, so it is not about one page or story.
                    raise CaptureError(str(error)) from error
                for story in waiting:
                    await self._report(_failure(story, chunk.variant, error))
                return
            await self._walk_page(worker, preview, chunk.variant, waiting)

    async def _walk_page(
        self, worker: "_Worker", preview: Preview, variant: Variant, waiting: deque[Story]
    ) -> None:
        first = True
        while waiting:
            story = waiting[0]
            try:
                result = await preview.capture(story, variant)
            except PreviewError as error:
                await worker.discard()
                # An earlier story may have broken the page; alone on a new one it is certain.
                if first:
                    waiting.popleft()
                    await self._report(_failure(story, variant, error))
                return
            waiting.popleft()
            await self._report(result)
            # What a failed story left behind must not show in the next one.
            if isinstance(result, Shot) and result.error is not None:
                break
            first = False
        await worker.leave(preview)

    async def _report(self, result: Shot | Skipped) -> None:
        if isinstance(result, Skipped):
            self._counts["skipped"] += 1
            return
        self._counts["ok" if result.error is None else "failed"] += 1
        async with self._one_at_a_time:
            # Writing an image would otherwise stop all browsers for its time.
            await asyncio.to_thread(self._on_shot, result)


def _failure(story: Story, variant: Variant, error: PreviewError) -> Shot:
    return Shot(story, variant, None, 0, 0, error=str(error))


class _Starter:
    """Starts browsers, all alike."""

    def __init__(self, playwright: Playwright, settings: CaptureSettings, port: int) -> None:
        self.settings = settings
        self.user_agent = ""
        self._playwright = playwright
        self._path = find_chromium(playwright, settings.chromium)
        self._flags = stable_flags() + local_flags(port, settings.allow_hosts)
        self._spare: Browser | None = None

    async def browser(self) -> Browser:
        """A browser for its caller alone, who closes it. Raises ``CaptureError``."""
        # The browser that told its version is not thrown away: starting one takes its time.
        spare, self._spare = self._spare, None
        return spare or await self._launch()

    async def _launch(self) -> Browser:
        try:
            return await self._playwright.chromium.launch(
                executable_path=self._path, args=self._flags, chromium_sandbox=False
            )
        except BrowserError as error:
            raise CaptureError(f"The browser {self._path} did not start: {words(error)}") from error

    async def renderer(self) -> Renderer:
        """Start the first browser and ask for its version and its name for servers."""
        browser = await self._launch()
        try:
            page = await browser.new_page()
            self.user_agent = f"{await page.evaluate('navigator.userAgent')} {TEST_RUNNER}"
            await page.close()
        except BrowserError as error:
            raise CaptureError(f"The browser {self._path} ended: {words(error)}") from error
        self._spare = browser
        return Renderer(self._path.name, browser.version, tuple(stable_flags()))


class _Worker:
    """Keeps one browser and replaces it when a story has hung or crashed it."""

    def __init__(self, starter: _Starter) -> None:
        self._starter = starter
        self._browser: Browser | None = None

    async def open(self, variant: Variant) -> Preview:
        """A loaded page; tried again in a new browser before ``PreviewError`` is given up to."""
        try:
            return await self._open(variant)
        except (PreviewError, BrowserError):
            await self.discard()
        try:
            return await self._open(variant)
        except BrowserError as error:
            raise PreviewError(f"The browser ended: {words(error)}") from error

    async def _open(self, variant: Variant) -> Preview:
        if self._browser is None or not self._browser.is_connected():
            self._browser = await self._starter.browser()
        starter = self._starter
        return await open_preview(self._browser, variant, starter.settings, starter.user_agent)

    async def leave(self, preview: Preview) -> None:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await preview.close()
        except (TimeoutError, BrowserError):
            await self.discard()

    async def discard(self) -> None:
        """End the browser whatever state it is in."""
        browser, self._browser = self._browser, None
        if browser is None:
            return
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await browser.close()
        except (TimeoutError, BrowserError):
            # Playwright kills what is left of its browsers when it stops.
            return

    async def close(self) -> None:
        await self.discard()
