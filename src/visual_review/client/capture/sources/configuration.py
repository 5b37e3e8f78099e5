"""The files that configure a build: those of Storybook and bundler, and what they read."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.capture.sources.module_graph import ModuleGraph
from visual_review.client.capture.sources.project import (
    CODE,
    PACKAGES,
    UNREAD_FOLDERS,
    Project,
    walk_files,
)
from visual_review.client.capture.sources.references import References

LOCK_FILES: Final = (
    *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"),
    *("bun.lock", "bun.lockb"),
)
PACKAGE_FILES: Final = frozenset({"package.json", *LOCK_FILES})
PREVIEW_NAME: Final = re.compile(r"^preview\.[cm]?[jt]sx?$")
MAIN_FOLDER: Final = ".storybook"
# Documentation in a project's root changes often and affects no story; the rest are results.
IGNORED_IN_ROOT: Final = frozenset({".md", ".mdx", ".txt", ".log", ".tsbuildinfo"})
RESULTS: Final = frozenset({".DS_Store", ".eslintcache", ".stylelintcache"})
# Storybook writes it where the home folder is the project, as in many containers.
USER_SETTINGS: Final = "settings.json"
CONFIGURES: Final = re.compile(r"^\.|config|rc\b")
# Tools that take no part in a build.
OTHER_TOOLS: Final = re.compile(
    r"eslint|prettier|stylelint|jest|playwright|cypress|commitlint|lint-staged|renovate|knip"
)
Named = Iterator[tuple[str, str]]


class Configuration:
    """Reads the configuration of one project's build."""

    def __init__(self, project: Project, references: References) -> None:
        self._project = project
        self._references = references

    def folders(self, shared_modules: frozenset[str]) -> list[Path]:
        """Return the folders with Storybook's configuration; the list may be empty."""
        names = {
            PurePosixPath(name).parent
            for name in shared_modules
            if PREVIEW_NAME.match(PurePosixPath(name).name) and PACKAGES not in name
        }
        root = self._project.root
        if (root / MAIN_FOLDER).is_dir():
            names.add(PurePosixPath(MAIN_FOLDER))
        return sorted(root / name for name in names)

    def hash_packages(self) -> Named:
        """Hash the package file and the lock files, which fix everything in node_modules."""
        for path in self._root_files():
            if path.name in PACKAGE_FILES:
                yield path.name, self._project.hash_of(path)
        # In a monorepo, the lock file is in a folder above the project.
        for folder in self._project.root.parents:
            for name in LOCK_FILES:
                if (folder / name).is_file():
                    yield f"../{name}", self._project.hash_of(folder / name)
            if (folder / ".git").exists():
                return

    def hash_files(self, folders: list[Path], graph: ModuleGraph, entries: frozenset[str]) -> Named:
        """Hash configuration, the files in the root, and what these read.

        ``entries`` are left out: a list of stories is no part of any story.
        """
        project = self._project
        found = {path for folder in folders for path in walk_files(folder, UNREAD_FOLDERS)}
        found -= {folder / USER_SETTINGS for folder in folders}
        start = found | {path for path in self._root_files() if _configures_build(path)}
        found |= {path for path in self._root_files() if path.name not in PACKAGE_FILES}
        found |= {path for path in project.files if path.name.startswith(".env")}
        found |= self._follow(start, graph, entries)
        for path in found:
            name = project.name_of(path)
            # A preview is a module too; as such, its own references count.
            if name not in entries:
                yield name, project.hash_of(path)

    def _root_files(self) -> list[Path]:
        return [
            path
            for path in sorted(self._project.root.iterdir())
            if path.is_file() and path.suffix.lower() not in IGNORED_IN_ROOT
            if path.name not in RESULTS
        ]

    def _follow(
        self, start: set[Path], graph: ModuleGraph, entries: frozenset[str]
    ) -> frozenset[Path]:
        waiting, seen = sorted(start), set(start)
        while waiting:
            path = waiting.pop()
            if PREVIEW_NAME.match(path.name):
                continue
            imported = self._references.imports(path)
            for other in self._references.mentions(path) - seen:
                name = self._project.name_of(other)
                # A path in a configuration often names the library that stories show; only
                # an import makes a module of the stories part of the configuration.
                if name in entries or (name in graph and other not in imported):
                    continue
                seen.add(other)
                if PACKAGES not in other.parts:
                    waiting.append(other)
        return frozenset(path for path in seen - start if PACKAGES not in path.parts)


def _configures_build(path: Path) -> bool:
    is_text = path.suffix.lower() in CODE | {".json", ""}
    configures = CONFIGURES.search(path.name) and not OTHER_TOOLS.search(path.name)
    return is_text and bool(configures) and path.name not in PACKAGE_FILES
