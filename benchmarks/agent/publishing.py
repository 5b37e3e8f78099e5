"""Publishes a planned build as CI does, and reads the decisions, outside of the reviewer."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.demo_folder import DemoError
from scripts.demo_server import PROGRAM, DemoServer, clean_environment

from benchmarks.agent.builds import BuildPlan, write_side

COMMIT = "1f7c1b2c0f3d4e5a6b7c8d9e0f1a2b3c4d5e6f70"
SECONDS = 900
NOTHING_TO_REVIEW, REVIEW_NEEDED = 0, 1
# Story, theme and device.
Variant = tuple[str, str, str]


@dataclass(frozen=True)
class PublishedBuild:
    """A build in review; ``names`` are the plan's pages by the server's names."""

    id: str
    repository: str
    names: Mapping[Variant, str]


def publish_plan(
    server: DemoServer, plan: BuildPlan, repository: str, folder: Path
) -> PublishedBuild:
    """Publish and approve the earlier sides on main, then publish the later ones on a branch."""
    connected = server.act("connect_repo", fullName=repository)
    job = Job(server.url, connected["projectToken"], folder)
    before = write_side(folder / "before", plan.pages, "before")
    first = job.publish(before, "--branch", "main", "--message", "Add the library")
    server.act("approve_build", buildId=first["build"]["id"])
    after = write_side(folder / "after", plan.pages, "after")
    second = job.publish(after, "--branch", "redesign", "--message", plan.message)
    return PublishedBuild(second["build"]["id"], connected["repo"]["id"], job.explain(after))


def read_decisions(server: DemoServer, build: PublishedBuild) -> dict[str, str | None]:
    """Return the decision on each listed page, by the page's name."""
    shots = server.act("get_build", buildId=build.id)["build"]["screenshots"]
    return {
        build.names[shot["storyId"], shot["variant"]["theme"], shot["variant"]["device"]]: shot[
            "reviewDecision"
        ]
        for shot in shots
    }


@dataclass(frozen=True)
class Job:
    """The command as run by CI, outside of any checkout."""

    url: str
    token: str
    folder: Path

    def publish(self, images: Path, *options: str) -> dict[str, Any]:
        flags = ("--json", "--images-only", "--commit", COMMIT, *options)
        return self._run([str(images), *flags])

    def explain(self, images: Path) -> dict[Variant, str]:
        """Return the file of each screenshot."""
        shown = self._run([str(images), "--images-only", "--explain", "--json"])["screenshots"]
        return {(each["storyId"], each["theme"], each["device"]): each["file"] for each in shown}

    def _run(self, arguments: list[str]) -> dict[str, Any]:
        own = {"VISUAL_REVIEW_URL": self.url, "UI_REVIEW_TOKEN": self.token}
        done = subprocess.run(
            [str(PROGRAM), "publish", *arguments],
            cwd=self.folder,
            env=clean_environment(own),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode not in {NOTHING_TO_REVIEW, REVIEW_NEEDED}:
            raise DemoError(f"publish failed ({done.returncode}): {done.stderr[-2000:]}")
        document: dict[str, Any] = json.loads(done.stdout)
        return document
