"""A small hand-made Storybook with stories that misbehave on demand, and captures of it."""

import os
import shutil
from pathlib import Path

from tests.support.ci import job
from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.client.capture import (
    ALL_VARIANTS,
    CaptureReport,
    CaptureSettings,
    Shot,
    read_stories,
)
from visual_review.client.capture.run import capture

# Stories that cannot start are given up soon, because nothing else runs on their page.
SOON = CaptureSettings(workers=1, startup_quiet=0.3)


def copy_storybook(folder: Path) -> Path:
    shutil.copytree(BAD_STORYBOOK, folder)
    return folder


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def take(folder: Path, *ids: str) -> tuple[CaptureReport, list[Shot]]:
    """Capture the stories in one variant."""
    stories = [story for story in read_stories(folder) if story.id in ids]
    shots: list[Shot] = []
    return capture(folder, ALL_VARIANTS[:1], stories, SOON, shots.append), shots


def run_capture(*arguments: object) -> job.CommandResult:
    return job.run(["capture", *map(str, arguments)], os.environ)
