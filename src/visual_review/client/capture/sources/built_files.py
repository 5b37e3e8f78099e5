"""The static files of a built Storybook: all files in the folder not built from modules."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final

from visual_review.client.capture.sources.project import Project, hash_file
from visual_review.client.capture.stories import PREVIEW_FILE, leads_out

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
