"""Hashes the sources of each story, so that unchanged stories need not be captured again.

The module graph comes from the stats file of ``storybook build --stats-json``. Graphs have gaps,
and no source shows the values of a build's variables; so the built code of the story counts as
well. If a source is missing there are no hashes at all, because a wrongly skipped story hides a
change.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.links import leads_out
from visual_review.client.capture.sources.build_values import read_build_values
from visual_review.client.capture.sources.built_code import BuiltCode
from visual_review.client.capture.sources.built_files import BuiltFiles
from visual_review.client.capture.sources.fingerprint import (
    Fingerprint,
    digest,
    digest_files,
    make_source_hash,
)
from visual_review.client.capture.sources.module_graph import ModuleGraph
from visual_review.client.capture.sources.project import Project
from visual_review.client.capture.stories import PREVIEW_FILE, Story, entry_paths, read_stories

STATS_FILE: Final = "preview-stats.json"
# Webpack writes these counts in place of omitted parts.
OMISSIONS: Final = ("filteredModules", "filteredReasons", "filteredChildren")
Files = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StorySources:
    """The files in a story's hash, with their hashes."""

    # The modules of the story file.
    own: Files
    # The code loaded by only some stories.
    built: Files
    # The files of every story by kind.
    shared: Mapping[str, Files]
    # The parts of code left out of the hashes.
    removed: frozenset[str]


@dataclass(frozen=True, slots=True)
class SourceHashes:
    """Hashes by story ID, or None and the reason why every story must be captured."""

    hashes: Mapping[str, str] | None
    reason: str | None
    sources: Mapping[str, StorySources] = field(default_factory=dict)

    def fingerprints(self, stories: Iterable[Story], renderer: str) -> dict[str, Fingerprint]:
        """Return the hashes of stories by ID; an unknown source hash is empty."""
        known = self.hashes or {}
        return {story.id: Fingerprint(known.get(story.id, ""), renderer) for story in stories}


def digest_preview(sources: SourceHashes) -> str:
    """Return a digest of everything that decides how themes are switched; empty if unknown."""
    for story in sources.sources.values():
        kinds = ("preview", "code")
        return digest({kind: _digest_kind(kind, story.shared[kind]) for kind in kinds})
    return ""


class _MissingSourceError(Exception):
    """A source of a story cannot be found; the message names the source."""


def source_hashes(folder: Path, project_root: Path | None = None) -> SourceHashes:
    """Hash the sources of every story of the Storybook built into ``folder``.

    ``project_root`` is the folder the build ran in, by default the current one. The same files
    give the same hashes on any machine. Problems are returned as a reason, not raised.
    """
    root = (project_root or Path.cwd()).resolve()
    try:
        sources = _StorybookSources(folder, root).by_story()
    except (_MissingSourceError, CaptureError) as error:
        return SourceHashes(None, str(error))
    except OSError as error:
        return SourceHashes(None, f"{error.filename} cannot be read: {error.strerror}")
    return SourceHashes(_hash_all(sources), None, sources)


def _hash_all(sources: Mapping[str, StorySources]) -> dict[str, str]:
    shared: dict[str, str] = {}
    hashes = {}
    for story_id, story in sources.items():
        # All stories share the same mapping.
        shared = shared or {kind: _digest_kind(kind, files) for kind, files in story.shared.items()}
        own = {"own": digest_files(story.own.items()), "built": _digest_kind("code", story.built)}
        hashes[story_id] = make_source_hash({**shared, **own})
    return hashes


def _digest_kind(kind: str, files: Files) -> str:
    # The names of built code change with its content.
    return digest(sorted(files.values())) if kind == "code" else digest_files(files.items())


class _StorybookSources:
    """Reads the sources of the stories of one built Storybook."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._stats = _read_stats(folder)
        self._graph = ModuleGraph.from_stats(self._stats)
        self._stories = read_stories(folder)
        self._entries = frozenset(entry_paths(folder))
        self._project = Project(root)
        self._require_complete()

    def by_story(self) -> dict[str, StorySources]:
        preview = dict(self._hash_modules(self._graph.shared(self._entries)))
        files = BuiltFiles(self._folder, self._project, self._graph.names(), self._stats)
        values = read_build_values(self._project.root)
        page, removed = values.remove(files.read_page())
        code = BuiltCode(files.written(), self._folder / PREVIEW_FILE, self._entries, values)
        common, built = code.read()
        static = {PREVIEW_FILE: digest(page), **dict(files.hash_static())}
        shared = {"preview": preview, "code": common, "static": static}
        by_path = {
            path: StorySources(
                *(self._own_files(path), built[path], shared),
                removed | code.removed_from([*common, *built[path]]),
            )
            for path in {story.import_path for story in self._stories}
        }
        return {story.id: by_path[story.import_path] for story in self._stories}

    def _require_complete(self) -> None:
        missing = next((each for each in self._stories if not self._is_listed(each)), None)
        if missing is not None:
            raise _MissingSourceError(f"{STATS_FILE} does not contain {missing.import_path}.")
        if isinstance(self._stats, Mapping) and any(self._stats.get(each) for each in OMISSIONS):
            raise _MissingSourceError(
                f"{STATS_FILE} leaves out modules; remove the bundler's options for its stats."
            )

    def _is_listed(self, story: Story) -> bool:
        return story.import_path in self._graph

    def _own_files(self, path: str) -> Files:
        return dict(self._hash_modules(self._graph.dependencies(path)))

    def _hash_modules(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            yield name, "generated" if ModuleGraph.is_generated(name) else self._hash(name)

    def _hash(self, name: str) -> str:
        path = self._project.path_of(name)
        if not path.is_file():
            raise _MissingSourceError(f"The module {name} has no file in {self._project.root}.")
        return self._project.hash_of(path)


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
