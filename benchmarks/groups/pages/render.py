"""Render pages of real Storybooks: as they were, after intended changes, and with defects planted.

Chromium renders every picture; nothing is painted into an image. Rendered pictures are kept.
"""

import asyncio
import base64
import json
import os
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from scripts.setup_steps import ROOT, SAMPLES, content_hash, is_fresh, say, write_stamp

from benchmarks.diff.errors import BenchmarkError
from visual_review.client.capture.chromium import automation_flags, find_chromium, stable_flags
from visual_review.client.capture.devtools import Session, start_browser
from visual_review.client.capture.server import StaticServer

SCRIPTS: Final = tuple(
    Path(__file__).with_name(name) for name in ("frame.js", "changes.js", "defects.js")
)
STORYBOOKS: Final = SAMPLES / "storybooks"
FOLDER: Final = ROOT / ".bench" / "groups" / "pages"
WIDTHS: Final = (1280, 820, 390)
PAGES: Final = 43
HEIGHT: Final = 900
# Full pages, and the visible part in a window with a scrollbar.
FULL, WINDOW = "full", "window"
RENDER_SECONDS: Final = 15
INTENDED: Final = (
    "header restyled",
    "header taller",
    "brand color",
    "font size",
    "spacing token",
    "named header",
)
DEFECTS: Final = (
    "wrong icon",
    "font fallback",
    "line height",
    "letter spacing",
    "overlap",
    "wrong crop",
    "lost border",
    "second scrollbar",
    "focus ring",
    "blur",
    "decimal comma",
    "cut shadow",
    "dark background",
    "1 px right",
    "1 px down",
    "emptied list",
    "broken image",
    "untranslated key",
    "80 % opacity",
    "lost bold",
    "lost rounding",
    "paler text",
    "faint background",
    "underline",
    "padding + 2 px",
)
# Never looked at while the rules were made, as the pages of the last Storybook.
HELD_OUT: Final = frozenset(
    {"font fallback", "wrong crop", "lost rounding", "emptied list", "focus ring"}
)
TUNED, OTHER = "tuned", "other"
PAGES_OF: Final = {
    TUNED: ("boosted-html", "sveltestrap/after"),
    OTHER: ("witchcraft-vue",),
}
WITH_DEFECT: Final = 0.25


@dataclass(frozen=True)
class RenderedPage:
    """One picture of a page: the intended change and the defect, each empty without one."""

    page: str
    intended: str
    defect: str
    file: str


@dataclass(frozen=True)
class PageSet:
    """All pictures of one set of pages at one width."""

    folder: Path
    width: int
    mode: str
    renderings: tuple[RenderedPage, ...]

    def before(self, page: str, intended: str) -> Path:
        named = "named" if intended == "named header" else "plain"
        return self.folder / f"{page}.{named}.png"


def is_available() -> bool:
    return all((STORYBOOKS / name).is_dir() for names in PAGES_OF.values() for name in names)


def load_pages(which: str, width: int, mode: str) -> PageSet:
    """Return the pictures, after rendering the missing and outdated ones."""
    folder = FOLDER / f"{which}-{width}-{mode}"
    stamp = FOLDER / f".{folder.name}-stamp"
    value = content_hash([*SCRIPTS, Path(__file__)], "")
    listing = folder / "renderings.json"
    if not is_fresh(stamp, value):
        say(f"rendering pages: {which}, {width} px, {mode}")
        folder.mkdir(parents=True, exist_ok=True)
        found = asyncio.run(_render_all(which, width, mode, folder))
        listing.write_text(json.dumps([asdict(each) for each in found]), encoding="utf-8")
        write_stamp(stamp, value)
    entries = json.loads(listing.read_text(encoding="utf-8"))
    return PageSet(folder, width, mode, tuple(RenderedPage(**entry) for entry in entries))


def _list_stories(storybook: str) -> list[str]:
    index = json.loads((STORYBOOKS / storybook / "index.json").read_text(encoding="utf-8"))
    return [key for key, entry in index["entries"].items() if entry["type"] == "story"]


def choose_stories(which: str) -> list[tuple[str, str]]:
    """Return Storybook and story of each page, spread over all components."""
    names = PAGES_OF[which]
    chosen: list[tuple[str, str]] = []
    for index, name in enumerate(names):
        count = PAGES // len(names) + (index < PAGES % len(names))
        stories = _list_stories(name)
        # A few more than needed: some stories show nothing without their addons.
        step = len(stories) / (count + 8)
        chosen += [(name, stories[int(at * step)]) for at in range(count + 8)]
    return chosen


async def _render_all(which: str, width: int, mode: str, folder: Path) -> list[RenderedPage]:
    found: list[RenderedPage] = []
    stories = choose_stories(which)
    for storybook in dict.fromkeys(name for name, _ in stories):
        wanted = PAGES // len(PAGES_OF[which]) + (
            PAGES_OF[which].index(storybook) < PAGES % len(PAGES_OF[which])
        )
        with StaticServer(STORYBOOKS / storybook) as server:
            async with _open_page(mode) as page:
                rendered = 0
                for name, story in stories:
                    if name != storybook or rendered == wanted:
                        continue
                    renderer = _Renderer(page, width, mode, folder, story)
                    address = (
                        f"http://127.0.0.1:{server.port}/iframe.html?id={story}&viewMode=story"
                    )
                    if await renderer.open(address):
                        found += await renderer.render()
                        rendered += 1
        if rendered < wanted:
            raise BenchmarkError(f"{storybook} has only {rendered} of {wanted} pages")
    return found


@asynccontextmanager
async def _open_page(mode: str) -> AsyncIterator[Session]:
    flags = [
        flag for flag in stable_flags() if mode == FULL or not flag.startswith("--hide-scrollbars")
    ]
    command = [str(find_chromium(None)), *automation_flags(), *flags, "--no-sandbox"]
    browser = await start_browser(command, dict(os.environ))
    try:
        made = await browser.connection.browser.send("Target.createTarget", url="about:blank")
        yield await browser.connection.attach(made["targetId"])
    finally:
        await browser.close()


class _Renderer:
    """Renders one page in every state."""

    def __init__(self, page: Session, width: int, mode: str, folder: Path, story: str) -> None:
        self.page, self.width, self.mode = page, width, mode
        self.folder, self.story = folder, story

    async def evaluate(self, expression: str) -> Any:  # noqa: ANN401 - Any JSON.
        result = await self.page.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise BenchmarkError(f"{self.story}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def open(self, address: str) -> bool:
        """Load the story, and build a page around it; return False if the story shows nothing."""
        await self.page.send(
            "Emulation.setDeviceMetricsOverride",
            width=self.width,
            height=HEIGHT,
            deviceScaleFactor=1,
            mobile=False,
        )
        await self.page.send("Page.navigate", url="about:blank")
        await self.page.send("Page.navigate", url=address)
        shown = "document.body?.classList.contains('sb-show-main') && (document.querySelector('#storybook-root, #root')?.childElementCount ?? 0) > 0"
        for _ in range(RENDER_SECONDS * 10):
            await asyncio.sleep(0.1)
            if await self.evaluate(shown):
                break
        else:
            return False
        await asyncio.sleep(0.3)
        if not await self.evaluate(
            "document.querySelector('#storybook-root, #root').getBoundingClientRect().height > 8"
        ):
            return False
        for script in SCRIPTS:
            await self.evaluate(script.read_text(encoding="utf-8"))
        title = self.story.split("--")[0].split("-")[-1].title()
        await self.evaluate(f"buildFrame({json.dumps(self.story)}, {json.dumps(title)});0")
        await self._settle()
        return True

    async def render(self) -> list[RenderedPage]:
        """Take all pictures of the page; return the pictures of changes and defects."""
        for named in (False, True):
            await self._intend("", named=named)
            await self._take(f"{self.story}.{'named' if named else 'plain'}.png")
        found = []
        for intended, defect in self._list_states():
            await self._intend(intended, named=intended == "named header")
            if defect and not await self.evaluate(
                f"plant({json.dumps(defect)}, {json.dumps(self.story)})"
            ):
                continue
            name = f"{self.story}.{intended}.{defect}.png".replace(" ", "-").replace("%", "pct")
            await self._take(name)
            await self.evaluate("heal();0")
            found.append(RenderedPage(self.story, intended, defect, name))
        return found

    def _list_states(self) -> Iterator[tuple[str, str]]:
        rng = random.Random(f"{self.story} {self.width} {self.mode}")
        yield from ((intended, "") for intended in INTENDED)
        yield from (("", defect) for defect in rng.sample(DEFECTS, 3))
        yield from (
            (intended, defect)
            for intended in INTENDED
            if rng.random() < WITH_DEFECT
            for defect in rng.sample(DEFECTS, 3)[:2]
        )

    async def _intend(self, name: str, *, named: bool) -> None:
        await self.evaluate(f"intend({json.dumps(name)}, {json.dumps(named)});0")

    async def _settle(self) -> None:
        await self.evaluate(
            "Promise.race([Promise.all([document.fonts.ready, ...[...document.images].map((each) => each.decode().catch(() => 0))]), new Promise((done) => setTimeout(done, 2000))]).then(() => 0)"
        )

    async def _take(self, name: str) -> None:
        await self._settle()
        more: dict[str, Any] = {}
        if self.mode == FULL:
            height = await self.evaluate("Math.ceil(document.documentElement.scrollHeight)")
            more = {
                "captureBeyondViewport": True,
                "clip": {
                    "x": 0,
                    "y": 0,
                    "width": self.width,
                    "height": min(height, 6000),
                    "scale": 1,
                },
            }
        taken = await self.page.send("Page.captureScreenshot", format="png", **more)
        (self.folder / name).write_bytes(base64.b64decode(taken["data"]))


def pictures(
    pages: PageSet, chosen: Sequence[RenderedPage]
) -> Iterator[tuple[RenderedPage, bytes, bytes]]:
    """Yield each rendering with its page before and after."""
    for each in chosen:
        before = pages.before(each.page, each.intended)
        yield each, before.read_bytes(), (pages.folder / each.file).read_bytes()
