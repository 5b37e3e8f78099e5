"""The user's git repository, with the example as its Storybook."""

import json
import shutil
from pathlib import Path
from typing import Final

from scripts.demo_expected import failing_story
from scripts.demo_publishing import CHANGED, FIRST
from scripts.first_use.machine import Machine
from scripts.setup_example import EXAMPLE

SOURCES: Final = ("src", ".storybook", "package.json", "package-lock.json")
# Where the printed commands expect the built Storybook.
STORYBOOK: Final = "storybook-static"
MAIN: Final = "main"
BRANCH: Final = "fresh-paint"


class Project:
    """A checkout with one commit on each of two branches."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self.folder = folder / "design-system"
        self._machine = machine
        self.folder.mkdir()
        self._git(f"init --quiet --initial-branch {MAIN}")
        (self.folder / ".gitignore").write_text(f"/{STORYBOOK}/\n/node_modules/\n")
        for name in SOURCES:
            source, target = EXAMPLE / name, self.folder / name
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        self._commit("Design system as it is")
        self._git(f"switch --quiet --create {BRANCH}")
        shutil.copytree(EXAMPLE / "changes", self.folder / "src", dirs_exist_ok=True)
        self._commit("Fresh paint for the harbour")

    def check_out(self, branch: str) -> str:
        """Switch to a branch, with the Storybook built; return the hash of the commit."""
        self._git(f"switch --quiet {branch}")
        built = FIRST.storybook if branch == MAIN else CHANGED.storybook
        target = self.folder / STORYBOOK
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(built, target)
        _remove_story(target / "index.json", failing_story())
        return self._git("rev-parse HEAD").strip()

    def _commit(self, message: str) -> None:
        self._git("add --all")
        self._git(f"commit --quiet --message '{message}'")

    def _git(self, arguments: str) -> str:
        return self._machine.require(f"git {arguments}", self.folder)


def _remove_story(index: Path, story_id: str) -> None:
    """Take out the story that throws on purpose: a build with a failure always needs a review."""
    document = json.loads(index.read_text(encoding="utf-8"))
    document["entries"].pop(story_id, None)
    index.write_text(json.dumps(document), encoding="utf-8")
