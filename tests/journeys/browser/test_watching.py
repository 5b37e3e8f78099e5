"""Converted recordings play and seek in a real browser, from the service's own URLs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings

from tests.support.browser import MILLISECONDS
from tests.support.case import Case
from tests.support.servers.web import web_server
from tests.support.videos import LIVE, Recipe, playwright_video, video
from visual_review.kernel.blob_files import put_file
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.video.conversion import convert

TYPES = frozenset({"webm", "mp4", "m4v", "mov", "mkv"})
# Seeks before playing: a player that cannot seek would reach the position by itself.
WATCH = """
async ({url, position, timeout}) => {
  const video = document.createElement('video');
  const when = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, {once: true});
    video.addEventListener('error', () => reject(new Error(video.error.message)), {once: true});
  });
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('the video does not play')), timeout);
  });
  const soon = (happens) => Promise.race([happens, late]);
  video.muted = true;
  video.preload = 'auto';
  document.body.append(video);
  const loaded = when('loadeddata');
  video.src = url;
  await soon(loaded);
  const seeked = when('seeked');
  video.currentTime = position;
  await soon(seeked);
  const reached = video.currentTime;
  const moved = when('timeupdate');
  await soon(video.play());
  await soon(moved);
  return {duration: video.duration, reached, seekable: video.seekable.end(0), width: video.videoWidth};
}
"""


@dataclass(frozen=True)
class Watched:
    duration: float
    reached: float
    seekable: float
    width: int


def watch(page: Page, url: str, position: float) -> Watched:
    result: dict[str, Any] = page.evaluate(
        WATCH, {"url": url, "position": position, "timeout": MILLISECONDS}
    )
    return Watched(**result)


LONG = [number * 60.0 for number in range(241)]


def plays_h264(page: Page) -> bool:
    """Whether this build of Chromium can play H.264."""
    kind = 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'
    ask = "kind => document.createElement('video').canPlayType(kind)"
    return bool(page.evaluate(ask, kind))


# Name, what is recorded, the second to seek to, and the converted format.
RECORDINGS = (
    ("live webm", Recipe(options=LIVE), 1.5, "webm"),
    ("vp9 opus", Recipe(codec="libvpx-vp9", sound="libopus"), 1.5, "webm"),
    ("mp4", Recipe(form="mp4", codec="libx264", sound="aac"), 1.5, "mp4"),
    ("mkv", Recipe(form="matroska", codec="libx264", sound="libopus"), 1.5, "mp4"),
    (
        "odd mpeg-4",
        Recipe(form="mov", codec="mpeg4", width=63, height=47, sound="aac"),
        1.5,
        "webm",
    ),
    ("variable rate", Recipe(times=[0, 0.1, 0.15, 1.7, 1.71, 5]), 1.7, "webm"),
    ("4 hours", Recipe(options=LIVE, times=LONG), 3 * 3600, "webm"),
)


def test_a_converted_video_plays_and_seeks(
    browser: Browser, settings: Settings, tmp_path: Path, case: Case
) -> None:
    page = browser.new_page()
    with web_server(settings):
        for name, recipe, position, form in RECORDINGS:
            with case(name):
                if form == "mp4" and not plays_h264(page):
                    pytest.skip("this browser plays no H.264")
                folder = tmp_path / name.replace(" ", "-")
                folder.mkdir()
                check_playing(page, folder, recipe, position, form)
    page.close()


def check_playing(page: Page, folder: Path, recipe: Recipe, position: float, form: str) -> None:
    source = folder / "original"
    source.write_bytes(video(recipe))
    converted = convert(source, folder, TYPES)
    assert converted.video == f"video.{form}"
    key = f"recordings/org/{folder.name}/{converted.video}"
    put_file(blob_store(), key, folder / converted.video, f"video/{form}")
    found = watch(page, blob_store().link(key, 60), position)
    assert found.duration == pytest.approx(converted.duration_ms / 1000, abs=0.1)
    assert found.reached == pytest.approx(position, abs=0.1)
    assert found.seekable == pytest.approx(found.duration, abs=0.1)
    assert found.width == converted.width


def test_the_live_video_has_neither_duration_nor_index() -> None:
    """Otherwise the test above would prove nothing."""
    live = playwright_video()
    # Duration (4489) and Cues (1C53BB6B) of Matroska.
    assert b"\x44\x89" not in live
    assert b"\x1c\x53\xbb\x6b" not in live
