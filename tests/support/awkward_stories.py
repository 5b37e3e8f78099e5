"""Captures the Storybook of awkward stories, and says which images differ between runs."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from visual_review.client.capture import CaptureSettings, Shot, Story, Variant, read_stories
from visual_review.client.capture.run import capture

STORYBOOK = Path(__file__).parents[1] / "storybooks" / "awkward" / "storybook-static"
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
    """Return the stories whose images differ although no run has marked them."""
    return [
        name
        for name in runs[0]
        if len({run[name].png for run in runs}) > 1
        and not any(is_marked(run[name]) for run in runs)
    ]


def marked(runs: Sequence[Run]) -> dict[str, str]:
    """Return the stories that a run has marked, with the reason."""
    found: dict[str, str] = {}
    for run in runs:
        for name, shot in run.items():
            if is_marked(shot):
                found[name] = str(shot.error or shot.unstable)
    return found
