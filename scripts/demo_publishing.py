"""Publish the states of the example with ``visual-review publish``, like CI."""

import hashlib
import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from scripts.demo_folder import DemoError
from scripts.demo_server import PROGRAM, clean_environment
from scripts.setup_example import EXAMPLE

PUBLISH_SECONDS: Final = 900
NOTHING_TO_REVIEW: Final = 0
REVIEW_NEEDED: Final = 1


@dataclass(frozen=True)
class Push:
    """One state of the example as one commit of a branch."""

    storybook: Path
    project: Path
    branch: str
    message: str
    flags: tuple[str, ...] = field(default=())

    @property
    def commit(self) -> str:
        """A hash like those of git, the same in every run."""
        return hashlib.sha256(self.message.encode()).hexdigest()[:40]


FIRST: Final = Push(
    EXAMPLE / "storybook-static",
    EXAMPLE / ".states" / "base",
    "main",
    "Design system as it is",
    ("--pull-request", "0"),
)
PULL_REQUEST: Final = ("--pull-request", "1", "--base-branch", "main")
CHANGED: Final = Push(
    EXAMPLE / "storybook-static-changed",
    EXAMPLE / ".states" / "changed",
    "feature/fresh-paint",
    "Fresh paint for the harbour",
    PULL_REQUEST,
)


def push_without_story(folder: Path, story_id: str) -> Push:
    """Return the changed state as another push, without the story that throws on purpose.

    A failure cannot be accepted for a later build, so the review ends only without the story.
    """
    copy = folder / "storybook-without-story"
    shutil.copytree(CHANGED.storybook, copy)
    index = copy / "index.json"
    document = json.loads(index.read_text(encoding="utf-8"))
    del document["entries"][story_id]
    index.write_text(json.dumps(document), encoding="utf-8")
    message = "Take out the story that throws"
    return Push(copy, CHANGED.project, CHANGED.branch, message, PULL_REQUEST)


def publish(push: Push, url: str, token: str) -> int:
    """Run the command, show the output, and return the exit code."""
    command = [
        *(str(PROGRAM), "publish", str(push.storybook), "--project-root", str(push.project)),
        *("--branch", push.branch, "--commit", push.commit, "--message", push.message),
        *push.flags,
    ]
    environment = clean_environment({"VISUAL_REVIEW_URL": url, "UI_REVIEW_TOKEN": token})
    try:
        done = subprocess.run(command, env=environment, check=False, timeout=PUBLISH_SECONDS)
    except subprocess.TimeoutExpired:
        raise DemoError(f"Publishing took more than {PUBLISH_SECONDS} seconds.") from None
    return done.returncode


def expect_exit(code: int, expected: int, what: str) -> None:
    if code != expected:
        raise DemoError(f"{what} exited with {code} instead of {expected}.")
