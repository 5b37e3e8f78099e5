"""Hashes the sources of each story, so that unchanged stories need not be captured again.

The module graph comes from the stats file of ``storybook build --stats-json``. Graphs have gaps,
and no source shows the values of a build's variables; so the built code of the story counts as
well. If a source is missing there are no hashes at all, because a wrongly skipped story hides a
change.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final, Self

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.sources.build_values import read_build_values
from visual_review.client.capture.sources.built_code import BuiltCode
from visual_review.client.capture.sources.fingerprint import (
    Fingerprint,
    digest,
    digest_files,
    make_source_hash,
)
from visual_review.client.capture.sources.project import Project, hash_file
from visual_review.client.capture.stories import (
    PREVIEW_FILE,
    Story,
    entry_paths,
    leads_out,
    read_stories,
)

# The page around the preview, and lists that change with every build.
OWN_FILES: Final = frozenset(
    {"index.html", "index.json", "stories.json", "project.json", "metadata.json"}
    | {"preview-stats.json", "preview-stats.trimmed.json", "manager-stats.json"}
    | {"manifests/components.json", "manifests/components.html", "manifests/docs.json"}
)
OWN_FOLDERS: Final = frozenset({"sb-addons", "sb-manager"})
# Vite writes Button-D_x9aBc1.js, webpack Button.1a2b3c4d.iframe.bundle.js.
HASHED_NAME: Final = re.compile(r"[-.]([A-Za-z0-9_-]{8,})$")
WEBPACK_BUNDLE: Final = re.compile(r"\.iframe\.bundle\.js$")
# A word such as "messages" is no hash, unless a module has the name before the word.
RANDOM: Final = re.compile(r"[0-9A-Z]")
COMPANION: Final = re.compile(r"\.(?:map|LICENSE\.txt)$")
# The modules decide which bundles the preview loads first; the names of bundles change.
LOADER: Final = re.compile(
    r"<(?:script|link)\b[^>]{0,2000}>(?:\s{0,20}</script>)?|import\s{0,20}['\"][^'\"]{1,500}['\"];?",
    re.IGNORECASE,
)
LOADED_NAME: Final = re.compile(r"[\"']\.?/?([^\"'?]+)[\"']")


class BuiltFiles:
    """The files of a Storybook built from ``modules``; ``stats`` come from the bundler."""

    def __init__(
        self,
        folder: Path,
        project: Project,
        modules: Iterable[str],
        stats: Any,  # noqa: ANN401 -- Raw JSON of any shape.
    ) -> None:
        self._folder = folder
        self._project = project
        self._listed = frozenset(_list_written(stats))
        self._module_stems = frozenset(PurePosixPath(name).stem for name in modules)

    def hash_static(self) -> Iterator[tuple[str, str]]:
        """Yield name and hash of each file not written by the bundler, without the page."""
        for name in self._names:
            if name != PREVIEW_FILE and not self._is_own(name) and not self._is_written(name):
                yield name, hash_file(self._folder / name)

    def written(self) -> dict[str, Path]:
        """Return the path of each file written by the bundler, without maps and licenses."""
        return {
            name: self._folder / name
            for name in self._names
            if not self._is_own(name) and self._is_written(name) and not COMPANION.search(name)
        }

    @cached_property
    def _names(self) -> list[str]:
        # The capture serves no link that leads out of the folder.
        return [
            path.relative_to(self._folder).as_posix()
            for path in sorted(self._folder.rglob("*"))
            if path.is_file() and not (path.is_symlink() and leads_out(path, self._folder))
        ]

    @staticmethod
    def _is_own(name: str) -> bool:
        return name in OWN_FILES or PurePosixPath(name).parts[0] in OWN_FOLDERS

    def _is_written(self, name: str) -> bool:
        if COMPANION.search(name):
            bundle = COMPANION.sub("", name)
            return (self._folder / bundle).is_file() and self._is_written(bundle)
        return name in self._listed or self._is_named_by_bundler(name)

    def _is_named_by_bundler(self, name: str) -> bool:
        """Return whether a bundler has named the file by its content.

        A file of the same name in the project makes a file static, whatever the name looks like.
        """
        if WEBPACK_BUNDLE.search(name):
            return True
        path = PurePosixPath(name)
        match = HASHED_NAME.search(path.stem)
        if match is None or path.name in self._project.file_names:
            return False
        is_random = RANDOM.search(match.group(1)) is not None
        return is_random or path.stem[: match.start()] in self._module_stems

    def read_page(self) -> str:
        """Return the page of the preview without the names of files written by the bundler."""
        text = (self._folder / PREVIEW_FILE).read_text(encoding="utf-8", errors="replace")
        plain = LOADER.sub(
            lambda found: "" if self._loads_bundle(found.group()) else found.group(), text
        )
        return " ".join(plain.split())

    def _loads_bundle(self, loader: str) -> bool:
        return any(self._is_written(name) for name in LOADED_NAME.findall(loader))


def _list_written(stats: Any) -> Iterator[str]:  # noqa: ANN401 -- Raw JSON of any shape.
    """Yield the files of chunks in webpack's stats; Vite's stats list no such files."""
    assets = stats.get("assets") if isinstance(stats, Mapping) else None
    for asset in assets if isinstance(assets, list) else ():
        info = asset.get("info") if isinstance(asset, Mapping) else None
        if isinstance(info, Mapping) and (info.get("contenthash") or info.get("chunkhash")):
            yield str(asset.get("name"))


# Modules generated by a bundler have no file; such modules change with the configuration or with
# the modules they import.
GENERATED = re.compile(
    r"""
    ^/?virtual: | ^\0 | ^webpack/ | ^external[ ] | ^ignored[ ] | ^data: | ^\(webpack\)
    | \|(lazy|sync|eager|weak)\b
    | [ ](lazy|sync|eager|weak)[ ] | [ ](lazy|sync|eager|weak)$
    | ^\./iframe\.html$
    | ^(\./)?storybook-(config-entry|stories)\.js$
    | ^\./generated-stories-entry\.[cm]?js$
    | ^multi[ ]
    """,
    re.VERBOSE,
)
CONCATENATED = re.compile(r" \+ \d+ modules?$")
STATS_FILE: Final = "preview-stats.json"
# Webpack writes these counts in place of omitted parts.
OMISSIONS: Final = ("filteredModules", "filteredReasons", "filteredChildren")
Files = Mapping[str, str]


class ModuleGraph:
    """The imports of each module, by normalized name."""

    def __init__(self) -> None:
        self._imports: defaultdict[str, set[str]] = defaultdict(set)

    @classmethod
    def from_stats(cls, stats: Any) -> Self:  # noqa: ANN401 -- Raw JSON of any shape.
        """Read a stats file; parts with an unexpected format are skipped.

        A story mentioned only in a skipped part is then missing, so the caller must check the
        stories.
        """
        graph = cls()
        modules = stats.get("modules") if isinstance(stats, Mapping) else None
        for module in modules if isinstance(modules, list) else ():
            graph._add(module)
        return graph

    def _add(self, module: Any) -> str | None:  # noqa: ANN401 -- Raw JSON of any shape.
        if not isinstance(module, Mapping) or not isinstance(module.get("name"), str):
            return None
        name = normalize_name(module["name"])
        # A module without imports or importers is a node, too.
        self._imports[name] |= set()
        for reason in module.get("reasons") or ():
            importer = reason.get("moduleName") if isinstance(reason, Mapping) else None
            if isinstance(importer, str):
                self._imports[normalize_name(importer)].add(name)
        # Webpack concatenates modules; concatenated modules are listed below the first module.
        for inner in module.get("modules") or ():
            concatenated = self._add(inner)
            if concatenated is not None:
                self._imports[name].add(concatenated)
        return name

    def __contains__(self, name: str) -> bool:
        return name in self._imports

    def names(self) -> frozenset[str]:
        return frozenset(self._imports)

    @staticmethod
    def is_generated(name: str) -> bool:
        return GENERATED.search(name) is not None

    def dependencies(self, name: str) -> frozenset[str]:
        """Return ``name`` and everything imported, directly or indirectly."""
        return frozenset(self._traverse([name], frozenset()))

    def shared(self, entries: frozenset[str]) -> frozenset[str]:
        """Return modules not imported by any entry (story file or docs page), with their imports.

        Entries are not followed: the list of all stories imports all entries.
        """
        reached = {name for entry in entries for name in self.dependencies(entry)}
        return frozenset(self._traverse([*self._imports.keys() - reached], entries))

    def _traverse(self, start: list[str], excluded: frozenset[str]) -> Iterator[str]:
        waiting, seen = list(start), set(start)
        while waiting:
            name = waiting.pop()
            yield name
            new = self._imports.get(name, set()) - seen - excluded
            seen |= new
            waiting += new


def normalize_name(name: str) -> str:
    """Return the file of a module, without loaders, query and module count."""
    # Queries distinguish generated modules; the query of a file only chooses a loader.
    if GENERATED.search(name):
        return name
    name = CONCATENATED.sub("", name.rsplit("!", 1)[-1])
    if GENERATED.search(name):
        return name
    path = name.split("?", 1)[0]
    # Rspack has the same module with and without the dot.
    return path if path.startswith((".", "/")) else f"./{path}"


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
