"""The files of a project: their paths, their hashes, and their names in the module graph."""

import hashlib
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

# Folders of tools, and of tests that no story imports without a trace in the module graph.
UNREAD_FOLDERS: Final = frozenset(
    {"node_modules", ".git", ".github", ".gitlab", ".circleci", ".vscode", ".idea", ".husky"}
    | {".changeset", ".cache", ".turbo", ".nx", ".venv", ".next", ".nuxt", ".svelte-kit"}
    | {"__tests__", "__snapshots__", "__screenshots__", "coverage", "test-results"}
    | {"playwright-report", "cypress", "e2e"}
    # Results of builds: any file used by a story is mentioned, imported or a static file.
    | {"dist", "logs", "target", "temp", "tmp", ".output", ".parcel-cache", ".vite", ".yarn"}
)


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def walk_files(folder: Path, unread: frozenset[str]) -> Iterator[Path]:
    """Yield the files below ``folder`` in the order of their names."""
    for path in sorted(folder.iterdir()):
        # A link could lead in a circle, or out of the project.
        if path.is_dir() and not path.is_symlink():
            if path.name not in unread and not _is_built(path):
                yield from walk_files(path, unread)
        elif path.is_file():
            yield path


def _is_built(folder: Path) -> bool:
    return (folder / "iframe.html").is_file() and (folder / "index.json").is_file()


class Project:
    """The folder a Storybook was built in; each file is hashed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._hashes: dict[Path, str] = {}

    @cached_property
    def files(self) -> list[Path]:
        """All files, without the files of packages, tools and built Storybooks."""
        return list(walk_files(self.root, UNREAD_FOLDERS))

    @cached_property
    def file_names(self) -> frozenset[str]:
        return frozenset(path.name for path in self.files)

    def name_of(self, path: Path) -> str:
        """Return the name of ``path`` in the module graph: ``./src/a.js``, ``./../b.js``."""
        relative = os.path.relpath(path, self.root)
        return f"./{Path(relative).as_posix()}"

    def path_of(self, name: str) -> Path:
        return Path(os.path.normpath(self.root / name))

    def hash_of(self, path: Path) -> str:
        if path not in self._hashes:
            self._hashes[path] = hash_file(path)
        return self._hashes[path]
