"""``make bench-viewer``: a pair of 1440 x 20,000 in the viewer, and in simpler ways to show it.

Prints when the pair is painted, the time of frames while moving through it, and the memory of the
tab. ``CHECK=1`` exits with 1 and names every bar that the viewer missed.
"""

import io
import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, sync_playwright
from tests.support.static_site import StaticSite, static_site

from benchmarks.process_memory import sample_memory
from visual_review.client.capture.chromium import find_chromium

MODULES: Final = Path(__file__).parents[1] / "src/visual_review/web/static/web/viewer"
SCRIPT: Final = Path(__file__).parent / "viewer/ways.js"
WIDTH, HEIGHT = 1440, 20_000
WAYS: Final = ("viewer", "bitmap", "tiles", "elements")
FRAMES: Final = 60
MEBIBYTE: Final = 1 << 20
# Of the viewer: milliseconds of the 95th of 100 frames, and MiB of the tab.
SLOWEST_FRAME, LARGEST_TAB = 50.0, 400.0
STYLE: Final = (
    b"body{margin:0;display:flex} screenshot-viewer{width:1420px;height:880px}"
    b".frame{width:700px;height:800px;overflow:hidden} img{transform-origin:0 0}"
)
PAGE: Final = (
    b'<!doctype html><link rel="stylesheet" href="/page.css"><script src="/ways/ways.js"></script>'
)


@dataclass(frozen=True)
class Result:
    """Times in milliseconds, memory in MiB; ``frames`` by zoom."""

    way: str
    first: float
    frames: dict[str, list[float]]
    memory: float
    left: float

    @property
    def slowest(self) -> float:
        return max(percentile(times) for times in self.frames.values())

    def __str__(self) -> str:
        zooms = "".join(
            f"  {statistics.median(times):6.1f} {percentile(times):6.1f}"
            for times in self.frames.values()
        )
        return f"{self.way:10} {self.first:8.0f}{zooms}  {self.memory:8.0f} {self.left:6.0f}"


def percentile(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def draw_page(seed: int) -> bytes:
    """Return a tall page of text and colored areas."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    brush = ImageDraw.Draw(image)
    for index, top in enumerate(range(8, HEIGHT - 40, 40)):
        color = f"#{(index * 7919 + seed) % 0x1000000:06x}"
        brush.rectangle((20, top, 20 + (index * 37) % 900, top + 16), color)
        brush.text((40, top + 20), f"Line {index} of version {seed} of a tall page " * 4, "black")
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def measure(browser: Browser, site: StaticSite, way: str) -> Result:
    """Show the pair in a tab of its own."""
    before = {process.pid for process in psutil.process_iter()}
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{site.address}/page.html")
        tab = max(new_renderers(before), key=lambda process: process.memory_info().rss)
        with sample_memory(tab) as samples:
            found: dict[str, Any] = page.evaluate(
                "([way, size, frames]) => measure(way, size, frames)",
                [way, {"width": WIDTH, "height": HEIGHT}, FRAMES],
            )
    return Result(
        way, found["first"], found["zooms"], samples.peak / MEBIBYTE, samples.last / MEBIBYTE
    )


def new_renderers(before: set[int]) -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.pid not in before and "--type=renderer" in process.cmdline()
    ]


def run() -> list[Result]:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with static_site(viewer=MODULES, ways=SCRIPT.parent) as site, sync_playwright() as playwright:
        site.files |= {"/page.html": PAGE, "/page.css": STYLE}
        site.files |= {"/before.png": draw_page(1), "/after.png": draw_page(2)}
        browser = playwright.chromium.launch(executable_path=find_chromium(None), args=flags)
        try:
            return [measure(browser, site, way) for way in WAYS]
        finally:
            browser.close()


def missed_bars(result: Result) -> list[str]:
    missed = []
    if result.slowest > SLOWEST_FRAME:
        missed.append(f"a frame takes {result.slowest:.0f} ms, more than {SLOWEST_FRAME:.0f}")
    if result.memory > LARGEST_TAB:
        missed.append(f"the tab takes {result.memory:.0f} MiB, more than {LARGEST_TAB:.0f}")
    return missed


def main() -> None:
    print(
        "ms until painted; median and 95th percentile of frames at 25, 50, 100, 400 %; MiB, most and last"
    )
    results = run()
    for result in results:
        print(result)
    missed = missed_bars(results[0])
    for line in missed:
        print(f"MISSED: {line}")
    if missed and os.environ.get("CHECK"):
        sys.exit(1)


if __name__ == "__main__":
    main()
