"""Record a video of a page: with Playwright, or from screenshots where its ffmpeg is missing.

Playwright records with its own ffmpeg. ``playwright install`` downloads this ffmpeg; with the
system's Chromium only, ffmpeg is missing. PyAV, a dependency for development, then writes the same
format: VP8 in WebM, 25 images per second, 800 pixels wide.
"""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import Error as PlaywrightError

VIEWPORT: Final = (1280, 720)
SIZE: Final = (800, 450)
RATE: Final = 25
ATTEMPTS: Final = 5
PAUSE_MS: Final = 200


@dataclass
class Film:
    """A video of ``page``; call ``capture`` whenever the page may have changed."""

    page: Page
    by_playwright: bool
    _start: float = field(default_factory=time.monotonic)
    _screenshots: list[tuple[float, bytes]] = field(default_factory=list)

    def capture(self) -> None:
        if not self.by_playwright:
            self._screenshots.append((time.monotonic() - self._start, _take_screenshot(self.page)))

    def write(self, target: Path) -> None:
        """Write the video to ``target``, after the page was closed."""
        if self.by_playwright and self.page.video:
            self.page.video.save_as(target)
        else:
            _write(self._screenshots, time.monotonic() - self._start, target)


def _take_screenshot(page: Page) -> bytes:
    for _ in range(ATTEMPTS - 1):
        try:
            return page.screenshot()
        except PlaywrightError:
            # Chromium sometimes has nothing to capture for a moment.
            page.wait_for_timeout(PAUSE_MS)
    return page.screenshot()


@contextmanager
def recording(browser: Browser, folder: Path) -> Iterator[tuple[Film, BrowserContext]]:
    """Record a page in a context of its own; write ``folder``/video.webm when the block ends."""
    film, context = _open(browser, folder)
    try:
        yield film, context
        film.capture()
    finally:
        context.close()
        film.write(folder / "video.webm")


def _open(browser: Browser, folder: Path) -> tuple[Film, BrowserContext]:
    width, height = VIEWPORT
    viewport = {"width": width, "height": height}
    size = {"width": SIZE[0], "height": SIZE[1]}
    context: BrowserContext | None = None
    try:
        context = browser.new_context(
            viewport=viewport,  # type: ignore[arg-type] # It accepts a plain dict.
            record_video_dir=folder / "recorded",
            record_video_size=size,  # type: ignore[arg-type] # As above.
        )
        return Film(context.new_page(), by_playwright=True), context
    except PlaywrightError as error:
        if "ffmpeg" not in error.message:
            raise
    if context is not None:
        context.close()
    context = browser.new_context(viewport=viewport)  # type: ignore[arg-type] # As above.
    return Film(context.new_page(), by_playwright=False), context


def _write(screenshots: list[tuple[float, bytes]], seconds: float, target: Path) -> None:
    with av.open(str(target), "w", format="webm") as output:
        stream = output.add_stream("libvpx", rate=RATE, options={"deadline": "realtime"})
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for frame in _frames(screenshots, seconds):
            _mux(output, stream, frame)
        _mux(output, stream, None)


def _mux(
    output: av.container.OutputContainer, stream: VideoStream, frame: VideoFrame | None
) -> None:
    for packet in stream.encode(frame):
        output.mux(packet)


def _frames(screenshots: list[tuple[float, bytes]], seconds: float) -> Iterator[VideoFrame]:
    """Yield each screenshot until the next one was taken."""
    shown, left = None, list(screenshots)
    for number in range(int(seconds * RATE)):
        while left and (shown is None or left[0][0] <= number / RATE):
            shown = Image.open(io.BytesIO(left.pop(0)[1])).convert("RGB").resize(SIZE)
        if shown is None:
            return
        frame = VideoFrame.from_ndarray(np.asarray(shown), format="rgb24")
        frame.pts, frame.time_base = number, Fraction(1, RATE)
        yield frame
