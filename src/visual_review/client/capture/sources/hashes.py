"""Hashes the sources of each story, so that unchanged stories need not be captured again.

The module graph comes from the file that ``storybook build --stats-json`` writes. Whatever is
not in the graph counts for every story. If a source is missing there are no hashes at all,
because a story that is wrongly skipped hides a change.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.links import leads_out
from visual_review.client.capture.sources.built_files import BuiltFiles
from visual_review.client.capture.sources.configuration import Configuration
from visual_review.client.capture.sources.fingerprint import (
    UNKNOWN_RENDERER,
    Renderer,
    digest,
    digest_files,
    make_hash,
)
from visual_review.client.capture.sources.module_graph import ModuleGraph
from visual_review.client.capture.sources.project import PACKAGES, UNTRACED, Project
from visual_review.client.capture.sources.references import References
from visual_review.client.capture.stories import Story, entry_paths, read_stories

STATS_FILE: Final = "preview-stats.json"
# Webpack writes these counts in place of what it leaves out.
OMISSIONS: Final = ("filteredModules", "filteredReasons", "filteredChildren")
Files = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StorySources:
    """The files that a story's hash covers, with their hashes.

    ``shared`` has those of every story by kind; ``own`` are the modules of its story file.
    """

    own: Files
    shared: Mapping[str, Files]


@dataclass(frozen=True, slots=True)
class SourceHashes:
    """Hashes by story ID, or None and the reason why every story must be captured."""

    hashes: Mapping[str, str] | None
    reason: str | None
    sources: Mapping[str, StorySources] = field(default_factory=dict)


def digest_preview(sources: SourceHashes) -> str:
    """Return a digest of what could change how themes are switched; empty if it is not known."""
    for story in sources.sources.values():
        kinds = ("packages", "configuration", "preview")
        return digest({kind: digest_files(story.shared[kind].items()) for kind in kinds})
    return ""


class _MissingSourceError(Exception):
    """A source of a story cannot be found; the message names it."""


def source_hashes(
    folder: Path, project_root: Path | None = None, renderer: Renderer = UNKNOWN_RENDERER
) -> SourceHashes:
    """Hash the sources of every story of the Storybook built into ``folder``.

    ``project_root`` is the folder the build ran in, by default the current one. The same files
    and the same renderer give the same hashes on any machine. Problems are returned as a
    reason, not raised.
    """
    root = (project_root or Path.cwd()).resolve()
    try:
        sources = _StorybookSources(folder, root).by_story()
    except (_MissingSourceError, CaptureError) as error:
        return SourceHashes(None, str(error))
    except OSError as error:
        return SourceHashes(None, f"{error.filename} cannot be read: {error.strerror}")
    return SourceHashes(_hash_all(sources, renderer), None, sources)


def _hash_all(sources: Mapping[str, StorySources], renderer: Renderer) -> dict[str, str]:
    shared: dict[str, str] = {}
    hashes = {}
    for story_id, story in sources.items():
        # All stories share the same mapping.
        shared = shared or {
            kind: digest_files(files.items()) for kind, files in story.shared.items()
        }
        hashes[story_id] = make_hash(renderer, shared, digest_files(story.own.items()))
    return hashes


class _StorybookSources:
    """Reads what the stories of one built Storybook are made of."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._stats = _read_stats(folder)
        self._graph = ModuleGraph.from_stats(self._stats)
        self._stories = read_stories(folder)
        self._entries = frozenset(entry_paths(folder))
        self._project = Project(root)
        self._references = References(root)
        self._require_complete()

    def by_story(self) -> dict[str, StorySources]:
        shared = self._shared_files()
        by_path = {
            path: StorySources(self._own_files(path), shared)
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
        return dict(self._hash_modules(self._follow(self._graph.dependencies(path), frozenset())))

    def _shared_files(self) -> Mapping[str, Files]:
        modules = self._graph.shared(self._entries)
        preview = dict(self._hash_modules(self._follow(modules, self._entries)))
        configuration = Configuration(self._project, self._references)
        folders = configuration.folders(modules)
        if not folders:
            raise _MissingSourceError(
                f"Storybook's configuration was not found in {self._project.root}."
            )
        listed = dict(self._hash_modules(self._graph.names()))
        built = BuiltFiles(self._folder, self._project, listed, self._stats)
        static = dict(built.hash_static(frozenset(listed.values())))
        return {
            "packages": dict(configuration.hash_packages()),
            "configuration": dict(configuration.hash_files(folders, self._graph, self._entries)),
            "preview": preview,
            "static": static,
            "other": dict(self._hash_untraced(folders, listed, frozenset(static.values()))),
        }

    def _follow(self, modules: frozenset[str], excluded: frozenset[str]) -> frozenset[str]:
        """Add what the text of ``modules`` mentions: the graph of a bundler has gaps."""
        waiting, seen = list(modules), set(modules)
        while waiting:
            for name in self._mentioned(waiting.pop()):
                if name in excluded:
                    continue
                new = self._graph.dependencies(name) - seen - excluded
                seen |= new
                waiting += new
        return frozenset(seen)

    def _mentioned(self, name: str) -> Iterator[str]:
        path = self._project.path_of(name)
        if ModuleGraph.is_generated(name) or PACKAGES in path.parts or not path.is_file():
            return
        for other in self._references.mentions(path):
            if PACKAGES not in other.parts:
                yield self._project.name_of(other)

    def _hash_modules(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            yield name, "generated" if ModuleGraph.is_generated(name) else self._hash(name)

    def _hash(self, name: str) -> str:
        path = self._project.path_of(name)
        if not path.is_file():
            raise _MissingSourceError(f"The module {name} has no file in {self._project.root}.")
        return self._project.hash_of(path)

    def _hash_untraced(
        self, configuration: list[Path], listed: Files, static: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        """Hash styles, images and data that plugins and other styles may have read.

        What the built folder has too is one of its static files.
        """
        for path in self._project.files:
            name = self._project.name_of(path)
            if path.suffix.lower() not in UNTRACED or name in listed:
                continue
            if path.parent == self._project.root or any(map(path.is_relative_to, configuration)):
                continue
            value = self._project.hash_of(path)
            if value not in static:
                yield name, value


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
