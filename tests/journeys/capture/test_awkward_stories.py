"""Stories that move, wait, count and show the time give the same images in every run."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.support.depth import seed
from visual_review.client.capture import CaptureSettings, Shot, Story, Variant, read_stories
from visual_review.client.capture.run import capture

STORYBOOK = Path(__file__).parents[2] / "storybooks" / "awkward" / "storybook-static"
PHONE = Variant("light", "phone")
Run = dict[str, Shot]


def chosen(*ids: str) -> list[Story]:
    stories = {story.id: story for story in read_stories(STORYBOOK)}
    return [stories[name] for name in ids] if ids else list(stories.values())


def capture_stories(stories: Sequence[Story], workers: int) -> Run:
    shots: list[Shot] = []
    capture(STORYBOOK, [PHONE], stories, CaptureSettings(workers=workers), shots.append)
    return {shot.story.id: shot for shot in shots}


def capture_shards(stories: Sequence[Story], count: int) -> Run:
    """Capture each of ``count`` parts by itself, as as many machines would."""
    run: Run = {}
    for index in range(count):
        run |= capture_stories(stories[index::count], workers=1)
    return run


@contextmanager
def busy_processors() -> Iterator[None]:
    """Keep every processor busy."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            process = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", "while True: pass"])
            )
            stack.callback(process.kill)
        yield


def is_marked(shot: Shot) -> bool:
    return bool(shot.unstable or shot.error)


def differing(runs: Sequence[Run]) -> list[str]:
    """Return the stories with different images and without a mark in any run."""
    return [
        name
        for name in runs[0]
        if len({run[name].png for run in runs}) > 1
        and not any(is_marked(run[name]) for run in runs)
    ]


def marked(runs: Sequence[Run]) -> dict[str, str]:
    """Return the stories marked in a run, with the reason."""
    found: dict[str, str] = {}
    for run in runs:
        for name, shot in run.items():
            if is_marked(shot):
                found[name] = str(shot.error or shot.unstable)
    return found


# One of each kind.
ORDINARY = (
    "animations--css-infinite",
    "animations--web-animation-restarted",
    "components--closed-shadow",
    "components--spinner",
    "dates--in-a-frame",
    "dates--stopwatch-of-frames",
    "frames--endless-loop",
    "frames--shared-ticker",
    "loading--fetch-chain",
    "loading--frame-in-frame",
    "media--canvas-particles",
    "media--video-late-on-canvas",
    "observers--resize-loop",
    # More steps than frames; only stories with observers wait for frames.
    "timers--interval-0",
    "random--random-uuid",
    "replaced--date-of-the-past",
    "timers--interval-1000",
    "timers--race-of-timer-and-fetch",
    "timers--skeleton-2000",
    "workers--shared",
    "workers--shared-that-waits",
)
# Stories without a clock of the page: real time goes by, so such stories may be marked.
MARKED = 12


@pytest.fixture(scope="module")
def ordinary() -> tuple[Run, Run]:
    stories = chosen(*ORDINARY)
    return capture_stories(stories, workers=1), capture_stories(stories[::-1], workers=2)


def test_images_do_not_depend_on_workers_or_order(ordinary: tuple[Run, Run]) -> None:
    assert set(ordinary[0]) == set(ordinary[1]) == set(ORDINARY)
    assert differing(ordinary) == []
    assert marked(ordinary) == {}


def test_endless_stories_and_those_before_them_have_images_of_their_own(
    ordinary: tuple[Run, Run],
) -> None:
    images = {shot.png for shot in ordinary[0].values()}
    assert None not in images
    assert len(images) == len(ORDINARY)


def test_a_canvas_shows_the_video_that_was_there_too_late_for_its_frames(
    ordinary: tuple[Run, Run],
) -> None:
    image = Image.open(BytesIO(ordinary[0]["media--video-late-on-canvas"].png or b""))
    # The video is 240 x 120 pixels, and so is the canvas below.
    colors = [image.convert("RGB").getpixel((30, y)) for y in (60, 200)]
    assert colors[0] == colors[1] != (255, 255, 255)


def runs_in_every_way() -> Iterator[Run]:
    stories = chosen()
    for workers in (1, 2, 4):
        yield capture_stories(stories, workers)
    with busy_processors():
        yield capture_stories(stories, workers=2)
    yield capture_shards(stories, 4)
    yield capture_stories(random.Random(seed()).sample(stories, len(stories)), workers=2)


@pytest.mark.deep
@pytest.mark.timeout(1200)
def test_every_awkward_story_is_identical_in_six_runs_or_marked() -> None:
    runs = list(runs_in_every_way())
    assert [len(run) for run in runs] == [len(chosen())] * 6
    assert differing(runs) == []
    found = marked(runs)
    assert len(found) <= MARKED, found
    assert [name for name in ORDINARY if any(is_marked(run[name]) for run in runs)] == []
