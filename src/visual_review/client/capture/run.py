"""Captures stories in several variants, with as many pages in parallel as fit into the memory."""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from visual_review.client.capture.browser import BrowserLauncher, open_launcher
from visual_review.client.capture.errors import PageError
from visual_review.client.capture.leftovers import Leftovers
from visual_review.client.capture.page import preview_url
from visual_review.client.capture.preview_page import read_style_sheets
from visual_review.client.capture.results import CaptureReport, CaptureSettings, Renderer, Shot
from visual_review.client.capture.schedule import Item, Schedule
from visual_review.client.capture.server import StaticServer
from visual_review.client.capture.stories import Story, read_stories
from visual_review.client.capture.theme_search import search_theme
from visual_review.client.capture.themes import ThemeFinding, ThemePairs, ThemeSetting
from visual_review.client.capture.variants import ALL_VARIANTS, Variant
from visual_review.client.capture.workers import Report, SkippedStory, Worker
from visual_review.variants import THEMES, Device

# A browser with one page of an ordinary Storybook, in bytes.
PAGE_BYTES: Final = 400 << 20
MACHINE: Final = Path("/proc/meminfo")
# Of control groups, version 2 and version 1: the limit, the used memory, and the statistics.
GROUPS: Final = (
    (
        Path("/sys/fs/cgroup/memory.max"),
        Path("/sys/fs/cgroup/memory.current"),
        Path("/sys/fs/cgroup/memory.stat"),
    ),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.stat"),
    ),
)
# Files read once, such as files of a build: the kernel drops them when memory is needed.
CACHED: Final = re.compile(r"^(?:total_)?inactive_file (\d+)$", re.MULTILINE)
# How many images of a page may be held in memory.
MOST_EARLY: Final = 100
DIGEST_BYTES: Final = 16
StyleSheets = Mapping[str, tuple[str, ...]]
OnShot = Callable[[Shot], None]
OnStart = Callable[[Renderer], None]


def fit_pages(wanted: int, available: int | None) -> tuple[int, str]:
    """Return how many pages to open, and a sentence for fewer pages than ``wanted``."""
    most = wanted if available is None else max(1, available // PAGE_BYTES)
    if most >= wanted:
        return wanted, ""
    megabytes = (available or 0) >> 20
    return most, (
        f"{most} of {wanted} pages are open at once: only {megabytes} MB of memory are free, and "
        f"each page needs about {PAGE_BYTES >> 20} MB."
    )


def find_available_memory() -> int | None:
    """Return the free bytes; None if the system does not report them."""
    return min([*_of_machine(), *_of_groups()], default=None)


def _of_machine() -> Iterator[int]:
    for line in _read(MACHINE).splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            yield int(rest.split()[0]) << 10


def _of_groups() -> Iterator[int]:
    for limit, used, statistics in GROUPS:
        texts = _read(limit).strip(), _read(used).strip()
        # The limit is 'max' without one.
        if all(text.isdecimal() for text in texts):
            cached = max(map(int, CACHED.findall(_read(statistics))), default=0)
            yield max(0, int(texts[0]) - int(texts[1]) + cached)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        # Not on Linux, or another version of control groups.
        return ""


class EarlyShots:
    """Passes on shots of a page; between ``hold`` and ``release`` or ``drop``, holds the shots."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._holds = False
        self._held: list[Shot | SkippedStory] = []

    async def report(self, result: Shot | SkippedStory) -> None:
        if self._holds:
            self._held.append(result)
        else:
            await self._report(result)

    def hold(self) -> None:
        self._holds = True

    async def release(self) -> None:
        """Report all held shots in order, and further shots at once."""
        self._holds = False
        for result in self._held:
            await self._report(result)
        self._held.clear()

    def drop(self) -> None:
        """Forget all held shots; report further shots at once."""
        self._holds = False
        self._held.clear()


class LightGuess:
    """The probable setting for light, and whether the search for the theme found the same setting."""

    def __init__(self, launcher: BrowserLauncher) -> None:
        self._launcher = launcher
        loop = asyncio.get_running_loop()
        self.guessed: asyncio.Future[ThemeSetting | None] = loop.create_future()
        self.is_right: asyncio.Future[bool] = loop.create_future()

    def guess(self, setting: ThemeSetting | None) -> None:
        """Load pages with ``setting`` until more is known; the first guess counts."""
        if self.guessed.done():
            return
        if setting is not None:
            self._launcher.use_theme(setting, setting)
        self.guessed.set_result(setting)

    def check(self, found: ThemeSetting) -> bool:
        """Return whether ``found`` is the guess."""
        if not self.guessed.done():
            self.guessed.set_result(None)
        self.is_right.set_result(self.guessed.result() == found)
        return self.is_right.result()


class ThemePairCounter:
    """Compares the images of a capture on arrival, without keeping the images."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, Device], bytes] = {}
        self._compared = 0
        self._equal = 0

    def add(self, shot: Shot) -> None:
        if shot.png is None:
            return
        key = (shot.story.id, shot.variant.device)
        digest = hashlib.blake2b(shot.png, digest_size=DIGEST_BYTES).digest()
        other = self._waiting.pop(key, None)
        if other is None:
            self._waiting[key] = digest
            return
        self._compared += 1
        self._equal += other == digest

    def count(self) -> ThemePairs:
        return ThemePairs(self._compared, self._equal)


def capture(
    folder: Path,
    variants: Sequence[Variant],
    stories: Sequence[Story] | None = None,
    settings: CaptureSettings | None = None,
    on_shot: OnShot = lambda _: None,
    on_start: OnStart = lambda _: None,
) -> CaptureReport:
    """Capture ``stories`` (by default all of the index) of the built Storybook in ``folder``.

    ``on_shot`` gets every shot immediately, one at a time, in any order and in another thread than
    the caller's. Shots are not kept. An exception of ``on_shot`` ends the capture. A failed story
    is a shot with an error. ``on_start`` is called once before, when the browser has started.
    Raises ``CaptureError`` if nothing can be captured: no Storybook, no browser. Must not be called
    in an event loop.
    """
    every_story = read_stories(folder)
    chosen_stories = every_story if stories is None else list(stories)
    chosen_settings = _only_captured_variants(settings or CaptureSettings(), variants)
    pages, lowered = fit_pages(chosen_settings.workers, find_available_memory())
    chosen_settings = replace(chosen_settings, workers=pages)
    schedule = Schedule(chosen_stories, list(dict.fromkeys(variants)), chosen_settings.workers)
    with StaticServer(folder) as server:
        chosen_settings = replace(chosen_settings, preview_path=server.preview_path)
        run = _Run(chosen_settings, schedule, on_shot, every_story)
        sheets = partial(read_style_sheets, folder, preview_url(chosen_settings))
        report = asyncio.run(run.run(server.port, on_start, sheets))
        notices = (*([lowered] if lowered else ()), *report.notices, *server.notices())
        return replace(report, notices=notices)


def _only_captured_variants(
    settings: CaptureSettings, variants: Sequence[Variant]
) -> CaptureSettings:
    devices = {variant.device for variant in variants}
    viewports = {name: size for name, size in settings.viewports.items() if name in devices}
    themes = tuple(name for name in THEMES if any(each.theme == name for each in variants))
    return replace(settings, viewports=viewports, captured_themes=themes)


class _Run:
    def __init__(
        self,
        settings: CaptureSettings,
        schedule: Schedule,
        on_shot: OnShot,
        every_story: Sequence[Story],
    ) -> None:
        self._settings = settings
        self._every_story = every_story
        self._theme_pairs = ThemePairCounter()
        self._schedule = schedule
        self._on_shot = on_shot
        self._one_at_a_time = asyncio.Lock()
        self._counts: Counter[str] = Counter()
        self._sheets: StyleSheets = {}

    async def run(
        self, port: int, on_start: OnStart, read_sheets: Callable[[], StyleSheets]
    ) -> CaptureReport:
        async with open_launcher(self._settings, port) as launcher:
            on_start(launcher.renderer)
            self._sheets = await asyncio.to_thread(read_sheets)
            launcher.leftovers.expect_style_sheets(self._sheets)
            try:
                finding = await self._capture_all(launcher)
            except BaseExceptionGroup as errors:
                # The caller expects the errors of its own callback, not our exception group.
                raise errors.exceptions[0] from None
        pairs = self._theme_pairs.count()
        finding = finding.with_pairs(pairs)
        return CaptureReport(
            shots_ok=self._counts["ok"],
            failed=self._counts["failed"],
            skipped=self._counts["skipped"],
            renderer=launcher.renderer,
            sandbox=launcher.sandbox,
            notices=(
                *((finding.describe(),) if finding.is_printed else ()),
                *launcher.leftovers.describe(),
            ),
            themes=finding,
            theme_pairs=pairs,
        )

    async def _capture_all(self, launcher: BrowserLauncher) -> ThemeFinding:
        """Search for the theme while all pages but one begin. Raises exception groups."""
        hopeless: dict[Story, PageError] = {}
        pages = range(self._schedule.pages)
        reports = [EarlyShots(self._report_shot) for _ in pages]
        workers = [Worker(launcher, reports[page].report, hopeless) for page in pages]
        async with asyncio.TaskGroup() as group:
            light = LightGuess(launcher)
            # The search needs one page and waits most of the time.
            for page in pages[1:]:
                early = self._work_early(workers[page], page, reports[page], light)
                group.create_task(early)
            finding, searched = await search_theme(launcher, self._every_story, light.guess)
            finding = self._settings.theme_expectation.check(finding)
            self._use_finding(launcher, finding, light)
            if workers:
                workers[0].start_anew(())
                if searched is not None:
                    loaded = searched.find_loaded(self._settings.viewports)
                    workers[0].use_page(searched.browser, searched.page, loaded)
                group.create_task(self._work(workers[0], 0))
        await self._retry(launcher, [item for worker in workers for item in worker.given_up])
        return finding

    async def _retry(self, launcher: BrowserLauncher, items: Sequence[Item]) -> None:
        """Try stories that took too long once more, with nothing else on the machine."""
        worker = Worker(launcher, self._report_shot, {}, is_alone=True)
        order = {variant: place for place, variant in enumerate(ALL_VARIANTS)}
        try:
            for item in sorted(items, key=lambda item: order[item.variant]):
                await worker.capture(*item)
        finally:
            await worker.close()

    def _use_finding(
        self, launcher: BrowserLauncher, finding: ThemeFinding, light: LightGuess
    ) -> None:
        launcher.use_theme(finding.setting, finding.setting_for_light)
        if not light.check(finding.setting_for_light):
            launcher.leftovers = Leftovers()
            launcher.leftovers.expect_style_sheets(self._sheets)

    async def _work_early(
        self, worker: Worker, page: int, reports: EarlyShots, light: LightGuess
    ) -> None:
        """Capture in light with the probable setting first, then everything."""
        await worker.prepare(self._schedule.first_variant(page))
        items: list[Item] = []
        reports.hold()
        while await light.guessed and not light.is_right.done() and len(items) < MOST_EARLY:
            if (item := self._schedule.take_early(page, "light")) is None:
                break
            items.append(item)
            await worker.capture(*item)
        if await light.is_right:
            await reports.release()
        else:
            reports.drop()
            self._schedule.put_back(page, items)
            worker.start_anew(item.story for item in items)
        await self._work(worker, page)

    async def _work(self, worker: Worker, number: int) -> None:
        try:
            while item := self._schedule.take(number, worker.loaded):
                await worker.capture(*item)
        finally:
            await worker.close()

    async def _report_shot(self, result: Shot | SkippedStory) -> None:
        if isinstance(result, SkippedStory):
            self._counts["skipped"] += 1
            return
        self._counts["ok" if result.error is None else "failed"] += 1
        self._theme_pairs.add(result)
        async with self._one_at_a_time:
            # Writing an image would otherwise block all pages.
            await asyncio.to_thread(self._on_shot, result)
