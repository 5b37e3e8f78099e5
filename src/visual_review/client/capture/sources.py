"""Hashes what each story is made of, so that unchanged stories need not be captured again.

The module graph comes from the file that ``storybook build --stats-json`` writes. Whatever the
graph cannot tell belongs to every story: the configuration, the files in the project's root, the
styles that no module names, the images and fonts of the built folder. Where a link is missing
there are no hashes at all, because a story that is wrongly left out is a change nobody sees.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.module_graph import ModuleGraph
from visual_review.client.capture.stories import entry_paths, read_stories

STATS_FILE = "preview-stats.json"
# Raised when the same sources have to give another hash, so that all stories are captured anew.
SCHEME = "1"

STYLES = frozenset({".css", ".less", ".pcss", ".sass", ".scss", ".styl", ".stylus"})
BUNDLED = frozenset({".cjs", ".css", ".html", ".js", ".json", ".map", ".mjs", ".txt"})
LOCK_FILES = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock")
PREVIEW_NAME = re.compile(r"^preview\.[cm]?[jt]sx?$")
# Texts for people in a project's root change often and change no story.
PROSE = frozenset({".md", ".mdx", ".txt", ".log"})
UNREAD_FOLDERS = frozenset({"node_modules", ".git"})
CHUNK = 1 << 20


class SourceHashes(NamedTuple):
    """Hash by story id, or None and the reason why every story has to be captured."""

    hashes: dict[str, str] | None
    reason: str | None


class _MissingLinkError(Exception):
    """Something a story is made of cannot be found; the message names it."""


def source_hashes(folder: Path, project_root: Path | None = None) -> SourceHashes:
    """Hash the sources of every story of the Storybook built into ``folder``.

    ``project_root`` is the folder the build ran in, by default the current one. Hashes are
    equal on any machine that has the same files. Raises nothing for what a build may lack.
    """
    root = (project_root or Path.cwd()).resolve()
    try:
        return SourceHashes(_hashes(folder, root), None)
    except (_MissingLinkError, CaptureError) as error:
        return SourceHashes(None, str(error))
    except OSError as error:
        return SourceHashes(None, f"{error.filename} cannot be read: {error.strerror}")


def _hashes(folder: Path, root: Path) -> dict[str, str]:
    graph = ModuleGraph.of(_stats(folder))
    stories = read_stories(folder)
    roots = frozenset(entry_paths(folder))
    for story in stories:
        if story.import_path not in graph:
            raise _MissingLinkError(f"{STATS_FILE} does not know {story.import_path}.")
    files = _Files(root)
    shared_modules = graph.shared(roots)
    shared = _digest(
        [
            *files.of_modules(shared_modules),
            *files.of_configuration(shared_modules),
            *files.of_styles_outside(graph),
            *_built_assets(folder),
        ]
    )
    by_path = {
        path: _digest([("shared", shared), *files.of_modules(graph.below(path))])
        for path in {story.import_path for story in stories}
    }
    return {story.id: by_path[story.import_path] for story in stories}


def _stats(folder: Path) -> Any:  # noqa: ANN401 -- Raw JSON of any shape.
    path = folder / STATS_FILE
    if not path.is_file():
        raise _MissingLinkError(
            f"{folder} has no {STATS_FILE}: build with `storybook build --stats-json`."
        )
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _MissingLinkError(f"{path} is not valid JSON: {error}") from error


def _digest(parts: Iterable[tuple[str, str]]) -> str:
    # Sorted and without repeats, so that the order in which modules were found does not matter.
    text = json.dumps([SCHEME, *sorted(set(parts))], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _built_assets(folder: Path) -> Iterator[tuple[str, str]]:
    """Images, fonts and the like: copied static files and what styles point at."""
    for path in _walk(folder):
        if path.suffix.lower() not in BUNDLED:
            yield f"built:{path.relative_to(folder).as_posix()}", _file_hash(path)


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        # A link could lead around in a circle, or out of the project.
        if path.is_dir() and not path.is_symlink():
            if path.name not in UNREAD_FOLDERS:
                yield from _walk(path)
        elif path.is_file():
            yield path


class _Files:
    """Reads the project's files, each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, str] = {}

    def of_modules(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            yield name, "generated" if ModuleGraph.is_generated(name) else self._hash(name)

    def of_configuration(self, shared: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Storybook's configuration folder, the files in the root, and the lock file."""
        folders = {
            PurePosixPath(name).parent
            for name in shared
            if PREVIEW_NAME.match(PurePosixPath(name).name) and "node_modules" not in name
        }
        if (self._root / ".storybook").is_dir():
            folders.add(PurePosixPath(".storybook"))
        if not folders:
            raise _MissingLinkError(f"Storybook's configuration was not found in {self._root}.")
        for folder in sorted(folders):
            base = self._root / folder
            for path in _walk(base):
                yield f"configuration:{path.relative_to(base).as_posix()}", _file_hash(path)
        for path in sorted(self._root.iterdir()):
            if path.is_file() and path.suffix.lower() not in PROSE:
                yield f"root:{path.name}", _file_hash(path)
        yield from self._locks()

    def _locks(self) -> Iterator[tuple[str, str]]:
        # In a monorepo the lock file lies above the project.
        for folder in self._root.parents:
            for name in LOCK_FILES:
                if (folder / name).is_file():
                    yield f"lock:{name}", _file_hash(folder / name)
            if (folder / ".git").exists():
                return

    def of_styles_outside(self, graph: ModuleGraph) -> Iterator[tuple[str, str]]:
        """Styles that other styles include: bundlers read them without naming them."""
        for path in _walk(self._root):
            name = f"./{path.relative_to(self._root).as_posix()}"
            is_style = path.suffix.lower() in STYLES
            if is_style and name not in graph and not self._is_built(path):
                yield name, _file_hash(path)

    def _is_built(self, path: Path) -> bool:
        """Whether a Storybook was built into a folder around ``path``."""
        inside = [parent for parent in path.parents if parent.is_relative_to(self._root)]
        return any((folder / "iframe.html").is_file() for folder in inside)

    def _hash(self, name: str) -> str:
        if name not in self._known:
            path = self._root / name
            if not path.is_file():
                raise _MissingLinkError(f"The module {name} has no file in {self._root}.")
            self._known[name] = _file_hash(path)
        return self._known[name]
