"""Stored recordings play unchanged in a real browser, and finished ones can seek."""

import io
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings

from tests.support.browser import MILLISECONDS
from tests.support.case import Case
from tests.support.servers.web import web_server
from tests.support.videos import Recipe, playwright_video, video
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.blob_files import put_file
from visual_review.recordings.video_header import read_video_header

# Seeks before playing: a player without seeking would reach the position by playing on.
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
class WatchResult:
    duration: float
    reached: float
    seekable: float
    width: int


def watch(page: Page, url: str, position: float) -> WatchResult:
    result: dict[str, Any] = page.evaluate(
        WATCH, {"url": url, "position": position, "timeout": MILLISECONDS}
    )
    return WatchResult(**result)


def plays_h264(page: Page) -> bool:
    """Return whether this build of Chromium can play H.264."""
    kind = 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'
    ask = "kind => document.createElement('video').canPlayType(kind)"
    return bool(page.evaluate(ask, kind))


# Name and recipe.
RECORDINGS = (
    ("vp8", Recipe()),
    ("vp9 opus", Recipe(codec="libvpx-vp9", sound="libopus")),
    ("mp4", Recipe(form="mp4", codec="libx264", sound="aac")),
    ("variable rate", Recipe(times=[0, 0.1, 0.15, 1.5, 1.7, 1.9])),
)


def test_a_finished_video_plays_and_seeks(browser: Browser, settings: Settings, case: Case) -> None:
    page = browser.new_page()
    with web_server(settings):
        for name, recipe in RECORDINGS:
            with case(name):
                if recipe.form == "mp4" and not plays_h264(page):
                    pytest.skip("this browser plays no H.264")
                check_playing(page, name.replace(" ", "-"), video(recipe))
    page.close()


def check_playing(page: Page, name: str, data: bytes) -> None:
    header = read_video_header(io.BytesIO(data))
    assert header.duration_ms
    found = watch(page, store(name, header.suffix, data), 1.5)
    assert found.duration == pytest.approx(header.duration_ms / 1000, abs=0.1)
    assert found.reached == pytest.approx(1.5, abs=0.1)
    assert found.seekable == pytest.approx(found.duration, abs=0.1)
    assert found.width == header.width


def store(name: str, suffix: str, data: bytes) -> str:
    key = f"recordings/org/{name}/original{suffix}"
    put_file(blob_store(), key, io.BytesIO(data), f"video/{suffix[1:]}")
    return blob_store().link(key, 60)


def test_a_video_that_was_never_finished_plays(browser: Browser, settings: Settings) -> None:
    data = playwright_video()
    # Duration (4489) and Cues (1C53BB6B) of Matroska.
    assert b"\x44\x89" not in data
    assert b"\x1c\x53\xbb\x6b" not in data
    page = browser.new_page()
    with web_server(settings):
        found = watch(page, store("live", ".webm", data), 0)
    assert found.width == 64
    page.close()
