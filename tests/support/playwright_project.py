"""The example with Playwright tests as a project of its own, and its real runner."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.demo_server import clean_environment
from scripts.setup_node import PLAYWRIGHT_PACKAGES, node_environment
from scripts.setup_tools import find_node

from visual_review.client.capture.chromium import find_chromium

CONFIG = """\
import example from "./playwright.config.ts";
export default {
  ...example,
  reporter: [...%s],
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

    def test(self, *flags: str, reporter: str = "line", **env: str) -> int:
        """Run the tests of the pages; return the exit code of the runner."""
        done = self.run(
            "playwright", "test", "pages", "--workers=2", *flags, reporter=reporter, **env
        )
        assert (self.folder / "test-results").exists(), done.stdout + done.stderr
        return done.returncode

    def run(
        self, name: str, *arguments: str, reporter: str = "line", **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the project's packages."""
        reporters = json.dumps([each.split("=", 1) for each in reporter.split(",")])
        reporters = re.sub(r'"outputFile:([^"]+)"', r'{ outputFile: "\1" }', reporters)
        self.write("runner.config.ts", CONFIG % (reporters, str(find_chromium(None))))
        more = ["--config=runner.config.ts"] if name == "playwright" else []
        return subprocess.run(
            [self.folder / "node_modules" / ".bin" / name, *arguments, *more],
            cwd=self.folder,
            env={**clean_environment({}), **node_environment(find_node()), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def configure_browser(self) -> None:
        """Let the project's own configuration use the machine's browser."""
        launch = f'launchOptions: {{ executablePath: "{find_chromium(None)}", args: ["--no-sandbox"] }}, '
        self.edit("playwright.config.ts", "use: { viewport", f"use: {{ {launch}viewport")

    def shell(self, commands: str, *, fails: bool = False) -> str:
        """Run lines as if pasted into a terminal; return the output."""
        done = subprocess.run(
            ["bash", "-e", "-c", commands],
            cwd=self.folder,
            env={**clean_environment({}), **node_environment(find_node())},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout


def create_project(folder: Path, *, without: tuple[str, ...] = ()) -> PlaywrightProject:
    """Copy the example and commit the copy; packages are linked, or copied ``without`` some."""
    ignored = shutil.ignore_patterns("node_modules", "test-results")
    shutil.copytree(PLAYWRIGHT_PACKAGES.folder, folder, ignore=ignored)
    if without:
        copied = folder / "node_modules"
        shutil.copytree(PLAYWRIGHT_PACKAGES.installed, copied, symlinks=True)
        for name in without:
            shutil.rmtree(copied / name)
            description = json.loads((folder / "package.json").read_text())
            del description["devDependencies"][name]
            (folder / "package.json").write_text(json.dumps(description))
            (folder / "package-lock.json").unlink()
    else:
        (folder / "node_modules").symlink_to(PLAYWRIGHT_PACKAGES.installed)
    project = PlaywrightProject(folder)
    (folder / ".gitignore").write_text("node_modules\ntest-results\nrunner.config.ts\n*.json\n")
    project.git("init", "--quiet", "--initial-branch=main")
    project.commit("Begin")
    return project
