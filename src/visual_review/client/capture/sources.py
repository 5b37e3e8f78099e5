"""Hashes the sources of each story, so that unchanged stories need not be captured again.

The module graph comes from the file that ``storybook build --stats-json`` writes. Whatever is
not in the graph counts for every story: the configuration, the files in the project's root, the
styles that no module names, the images and fonts of the built folder. If a source is missing
there are no hashes at all, because a story that is wrongly skipped hides a change.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.links import leads_out
from visual_review.client.capture.module_graph import ModuleGraph
from visual_review.client.capture.stories import entry_paths, read_stories

STATS_FILE = "preview-stats.json"
# Increase it to change the hashes of equal sources, so that all stories are captured again.
SCHEME = "1"

STYLES = frozenset({".css", ".less", ".pcss", ".sass", ".scss", ".styl", ".stylus"})
BUNDLED = frozenset({".cjs", ".css", ".html", ".js", ".json", ".map", ".mjs", ".txt"})
LOCK_FILES = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock")
PREVIEW_NAME = re.compile(r"^preview\.[cm]?[jt]sx?$")
# Documentation in a project's root changes often and affects no story.
DOCUMENTATION = frozenset({".md", ".mdx", ".txt", ".log"})
UNREAD_FOLDERS = frozenset({"node_modules", ".git"})
CHUNK = 1 << 20


class SourceHashes(NamedTuple):
    """Hashes by story ID, or None and the reason why every story must be captured."""

    hashes: dict[str, str] | None
    reason: str | None


class _MissingSourceError(Exception):
    """A source of a story cannot be found; the message names it."""


def source_hashes(folder: Path, project_root: Path | None = None) -> SourceHashes:
    """Hash the sources of every story of the Storybook built into ``folder``.

    ``project_root`` is the folder the build ran in, by default the current one. The same files
    give the same hashes on any machine. Problems are returned as a reason, not raised.
    """
    root = (project_root or Path.cwd()).resolve()
    try:
        return SourceHashes(_hash_stories(folder, root), None)
    except (_MissingSourceError, CaptureError) as error:
        return SourceHashes(None, str(error))
    except OSError as error:
        return SourceHashes(None, f"{error.filename} cannot be read: {error.strerror}")


def _hash_stories(folder: Path, root: Path) -> dict[str, str]:
    graph = ModuleGraph.from_stats(_read_stats(folder))
    stories = read_stories(folder)
    roots = frozenset(entry_paths(folder))
    for story in stories:
        if story.import_path not in graph:
            raise _MissingSourceError(f"{STATS_FILE} does not contain {story.import_path}.")
    files = _Files(root)
    shared_modules = graph.shared(roots)
    shared = _digest(
        [
            *files.hash_modules(shared_modules),
            *files.hash_configuration(shared_modules),
            *files.hash_unlisted_styles(graph),
            *_hash_built_assets(folder),
        ]
    )
    by_path = {
        path: _digest([("shared", shared), *files.hash_modules(graph.dependencies(path))])
        for path in {story.import_path for story in stories}
    }
    return {story.id: by_path[story.import_path] for story in stories}


def _read_stats(folder: Path) -> Any:  # noqa: ANN401 -- Raw JSON of any shape.
    path = folder / STATS_FILE
    if not path.is_file():
        raise _MissingSourceError(
            f"{folder} has no {STATS_FILE}: build with `storybook build --stats-json`."
        )
    if leads_out(path, folder):
        raise _MissingSourceError(f"{path} is a link that leads out of the folder.")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _MissingSourceError(f"{path} is not valid JSON: {error}") from error


def _digest(parts: Iterable[tuple[str, str]]) -> str:
    # Sorted and without duplicates, so that the order of the modules does not matter.
    text = json.dumps([SCHEME, *sorted(set(parts))], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hash_built_assets(folder: Path) -> Iterator[tuple[str, str]]:
    """Hash images, fonts and the like: copied static files and files used by styles."""
    for path in _walk_files(folder):
        if path.suffix.lower() not in BUNDLED and not leads_out(path, folder):
            yield f"built:{path.relative_to(folder).as_posix()}", _file_hash(path)


def _walk_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        # A link could lead in a circle, or out of the project.
        if path.is_dir() and not path.is_symlink():
            if path.name not in UNREAD_FOLDERS:
                yield from _walk_files(path)
        elif path.is_file():
            yield path


class _Files:
    """Hashes the project's files, each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._hashes_by_name: dict[str, str] = {}

    def hash_modules(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            yield name, "generated" if ModuleGraph.is_generated(name) else self._hash(name)

    def hash_configuration(self, shared: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Hash Storybook's configuration folder, the files in the root, and the lock file."""
        folders = {
            PurePosixPath(name).parent
            for name in shared
            if PREVIEW_NAME.match(PurePosixPath(name).name) and "node_modules" not in name
        }
        if (self._root / ".storybook").is_dir():
            folders.add(PurePosixPath(".storybook"))
        if not folders:
            raise _MissingSourceError(f"Storybook's configuration was not found in {self._root}.")
        for folder in sorted(folders):
            base = self._root / folder
            for path in _walk_files(base):
                yield f"configuration:{path.relative_to(base).as_posix()}", _file_hash(path)
        for path in sorted(self._root.iterdir()):
            if path.is_file() and path.suffix.lower() not in DOCUMENTATION:
                yield f"root:{path.name}", _file_hash(path)
        yield from self._hash_lock_files()

    def _hash_lock_files(self) -> Iterator[tuple[str, str]]:
        # In a monorepo, the lock file is in a folder above the project.
        for folder in self._root.parents:
            for name in LOCK_FILES:
                if (folder / name).is_file():
                    yield f"lock:{name}", _file_hash(folder / name)
            if (folder / ".git").exists():
                return

    def hash_unlisted_styles(self, graph: ModuleGraph) -> Iterator[tuple[str, str]]:
        """Hash styles that other styles include: the stats of bundlers do not list them."""
        for path in _walk_files(self._root):
            name = f"./{path.relative_to(self._root).as_posix()}"
            is_style = path.suffix.lower() in STYLES
            if is_style and name not in graph and not self._is_built(path):
                yield name, _file_hash(path)

    def _is_built(self, path: Path) -> bool:
        """Return whether ``path`` is inside a built Storybook."""
        inside = [parent for parent in path.parents if parent.is_relative_to(self._root)]
        return any((folder / "iframe.html").is_file() for folder in inside)

    def _hash(self, name: str) -> str:
        if name not in self._hashes_by_name:
            path = self._root / name
            if not path.is_file():
                raise _MissingSourceError(f"The module {name} has no file in {self._root}.")
            self._hashes_by_name[name] = _file_hash(path)
        return self._hashes_by_name[name]
