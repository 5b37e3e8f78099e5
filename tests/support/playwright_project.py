"""The example with Playwright tests as a project of its own, and its real runner."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_node import PLAYWRIGHT_PACKAGES, node_environment
from scripts.setup_tools import find_node

from visual_review.client.capture.chromium import find_chromium

CONFIG = """\
import example from "./playwright.config.ts";
export default {
  ...example,
  reporter: %s,
  use: { ...example.use, launchOptions: { executablePath: %r, args: ["--no-sandbox"] } },
};
"""
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example")


@dataclass(frozen=True)
class PlaywrightProject:
    folder: Path

    def git(self, *arguments: str) -> None:
        command = ["git", *IDENTITY, *arguments]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--message", message)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name: str, before: str, after: str) -> None:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert before in text
        self.write(name, text.replace(before, after))

    def test(self, *flags: str, reporter: str = '"line"', **env: str) -> int:
        """Run the tests; return the exit code of the runner."""
        self.write("runner.config.ts", CONFIG % (reporter, str(find_chromium(None))))
        program = self.folder / "node_modules" / ".bin" / "playwright"
        done = subprocess.run(
            [program, "test", "--config=runner.config.ts", "--workers=2", *flags],
            cwd=self.folder,
            env={**os.environ, **node_environment(find_node()), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (self.folder / "test-results").exists(), done.stdout + done.stderr
        return done.returncode


def create_project(folder: Path) -> PlaywrightProject:
    """Copy the example, with its packages, and commit it."""
    ignored = shutil.ignore_patterns("node_modules", "test-results")
    shutil.copytree(PLAYWRIGHT_PACKAGES.folder, folder, ignore=ignored)
    (folder / "node_modules").symlink_to(PLAYWRIGHT_PACKAGES.installed)
    project = PlaywrightProject(folder)
    (folder / ".gitignore").write_text("node_modules\ntest-results\nrunner.config.ts\n*.json\n")
    project.git("init", "--quiet", "--initial-branch=main")
    project.commit("Begin")
    return project
