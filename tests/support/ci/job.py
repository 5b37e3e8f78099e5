"""A repository on a running server, and the command as run by a CI job."""

import io
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from PIL import Image
from scripts.demo_server import PROGRAM, DemoServer, clean_environment
from typer.testing import CliRunner

from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.cli.main import make_app

COMMIT = "1f7c1b2c0f3d4e5a6b7c8d9e0f1a2b3c4d5e6f70"
SECONDS = 120
NUMBERS = count(1)
STORIES = ("calm--first", "calm--second", "calm--third", "bad--throws")


def paint(folder: Path, name: str, shade: int, size: tuple[int, int] = (40, 30)) -> None:
    """Write a PNG of one gray as ``name``."""
    folder.mkdir(exist_ok=True)
    file = io.BytesIO()
    Image.new("RGB", size, (shade, shade, shade)).save(file, "PNG")
    (folder / f"{name}.png").write_bytes(file.getvalue())


def storybook(folder: Path, *stories: str) -> Path:
    """Write a small Storybook with ``stories``; by default, three calm ones and one that throws."""
    shutil.copytree(BAD_STORYBOOK, folder)
    index = folder / "index.json"
    document = json.loads(index.read_text(encoding="utf-8"))
    document["entries"] = {name: document["entries"][name] for name in stories or STORIES}
    index.write_text(json.dumps(document), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class CommandResult:
    returncode: int
    stdout: str
    stderr: str


def run(arguments: list[str], environment: Mapping[str, str]) -> CommandResult:
    """Run a client command with exactly the given environment."""
    app = make_app(arguments)
    absent = {name: None for name in os.environ if name not in environment}
    result = CliRunner().invoke(app, arguments, env={**absent, **environment})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return CommandResult(result.exit_code, result.stdout, result.stderr)


@dataclass
class CiJob:
    server: DemoServer
    repository: str
    token: str
    cwd: Path
    name: str = ""

    def command(self, folder: Path, *flags: str) -> list[str]:
        branch = () if "--branch" in flags else ("--branch", "main")
        return [str(PROGRAM), "publish", str(folder), "--commit", COMMIT, *branch, *flags]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        own = {"VISUAL_REVIEW_URL": self.server.url, "UI_REVIEW_TOKEN": self.token}
        return clean_environment({**own, **(more or {})})

    def publish(
        self, folder: Path, *flags: str, env: Mapping[str, str] | None = None
    ) -> CommandResult:
        """Run the command in this process: starting Python each time would be slow."""
        return run(self.command(folder, *flags)[1:], self.environment(env))

    def publish_json(self, folder: Path, *flags: str) -> dict[str, Any]:
        """Publish with ``--json`` and return the printed document."""
        done = self.publish(folder, "--json", *flags)
        assert done.stdout, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    def builds(self) -> list[dict[str, Any]]:
        """All published builds, newest first."""
        found: list[dict[str, Any]] = self.server.act("list_builds", repoId=self.repository)[
            "builds"
        ]
        return found

    def approve_newest(self) -> None:
        self.server.act("approve_build", buildId=self.builds()[0]["id"])


def connect_repository(server: DemoServer, folder: Path) -> CiJob:
    """Connect a new repository; its job runs in ``folder``."""
    connected = server.act("connect_repo", fullName=f"harbour/design-{next(NUMBERS)}")
    return CiJob(
        server,
        connected["repo"]["id"],
        connected["projectToken"],
        folder,
        connected["repo"]["fullName"],
    )
