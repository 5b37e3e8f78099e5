"""Copies of real projects, built with Storybook after a change of one file."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.setup_node import BUNDLERS_STORYBOOK, EXAMPLE_PACKAGES, node_environment
from scripts.setup_steps import ROOT
from scripts.setup_tools import find_node

from tests.support.source_project import write
from visual_review.client.capture import SourceHashes, source_hashes

STORYBOOK: Final = Path("storybook", "dist", "bin", "dispatcher.js")
BUILD_SECONDS: Final = 150
# In the place of the example's states, where the configuration finds the pages' styles.
IN_CHECKOUT: Final = Path("checkout", "examples", "storybook", "project")


@dataclass(frozen=True)
class RealProject:
    """A buildable project; module names do not depend on its place."""

    root: Path

    @property
    def built(self) -> Path:
        return self.root / "storybook-static"

    def build(self, variables: Mapping[str, str] | None = None) -> "RealProject":
        shutil.rmtree(self.built, ignore_errors=True)
        node = find_node()
        cli = next(
            parent / "node_modules" / STORYBOOK
            for parent in (self.root, *self.root.parents)
            if (parent / "node_modules" / STORYBOOK).exists()
        )
        done = subprocess.run(
            [str(node / "node"), str(cli), "build", "--stats-json", "--disable-telemetry"],
            cwd=self.root,
            env=node_environment(node)
            | {"CI": "1", "HOME": str(self.root.parent), **(variables or {})},
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
        assert (self.built / "index.json").is_file(), done.stdout[-2000:] + done.stderr[-2000:]
        return self

    def hashes(self) -> dict[str, str]:
        found: SourceHashes = source_hashes(self.built, self.root)
        assert found.hashes is not None, found.reason
        return dict(found.hashes)

    def write(self, name: str, text: str) -> None:
        write(self.root / name, text)

    def copy_to(self, checkout: Path) -> "RealProject":
        """Copy the example's project to another checkout, unbuilt."""
        target = checkout / IN_CHECKOUT
        shutil.copytree(
            self.root, target, symlinks=True, ignore=shutil.ignore_patterns("storybook-static")
        )
        _link_surroundings(target)
        return RealProject(target)


def copy_example(folder: Path) -> RealProject:
    """Copy the example, whose stories are on Vite."""
    root = folder / IN_CHECKOUT
    for part in (".storybook", "src", "package.json", "package-lock.json"):
        source, target = EXAMPLE_PACKAGES.folder / part, root / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    _link_surroundings(root)
    return RealProject(root)


def _link_surroundings(root: Path) -> None:
    (root.parent / "node_modules").symlink_to(EXAMPLE_PACKAGES.installed)
    (root.parents[2] / "src").symlink_to(ROOT / "src")


def copy_bundlers(folder: Path) -> RealProject:
    """Copy the small project, on webpack unless BUNDLER says another; installs missing packages."""
    BUNDLERS_STORYBOOK.ensure(find_node())
    ignored = shutil.ignore_patterns("node_modules", "storybook-static")
    shutil.copytree(BUNDLERS_STORYBOOK.folder, folder, ignore=ignored)
    (folder / "node_modules").symlink_to(BUNDLERS_STORYBOOK.installed)
    return RealProject(folder)
