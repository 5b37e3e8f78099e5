"""Finds the files that a report names, also when they were moved since.

Only files in the given folder and beside the report are ever sent, whatever a report names.
"""

import mimetypes
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.found_videos import VIDEO_TYPES
from visual_review.client.transport.errors import InputError

UNKNOWN_TYPE: Final = "application/octet-stream"
# Playwright gives these names to every test's files; only their folder tells them apart.
_COMMON_NAME: Final = re.compile(r"(video|trace|test-(failed|finished)-\d+)(-\d+)?\.\w+")


class Files:
    """The files below ``folder``, by name."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}. Run the tests with video first.")
        self.folder = folder.resolve()
        self._by_name: dict[str, list[Path]] = defaultdict(list)
        for path in _below(self.folder):
            self._by_name[path.name].append(path)

    def videos(self) -> list[Path]:
        """Everything that has the ending of a video, in the order of the paths."""
        return sorted(path for path in self._all() if path.suffix.lower() in VIDEO_TYPES)

    def ending(self, *suffixes: str) -> list[Path]:
        return sorted(path for path in self._all() if path.suffix.lower() in suffixes)

    def relative(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def find(self, named: str, report: Path) -> Path | None:
        """The file that ``report`` names, where it names it or where it was moved to."""
        if not named or "\0" in named:
            return None
        # Reports of Windows may be read elsewhere.
        parts = [part for part in named.replace("\\", "/").split("/") if part not in ("", ".")]
        beside = report.resolve().parent
        for place in (Path(named), beside / named, self.folder / named):
            if path := _within(place, (self.folder, beside)):
                return path
        return self._moved(parts)

    def _moved(self, parts: list[str]) -> Path | None:
        """The one file whose path ends most alike."""
        candidates = self._by_name.get(parts[-1], []) if parts else []
        alike = [(_common_end(path.parts, parts), path) for path in candidates]
        longest = max((length for length, _ in alike), default=0)
        best = [path for length, path in alike if length == longest]
        if len(best) != 1 or (
            longest == 1 and len(parts) > 1 and _COMMON_NAME.fullmatch(parts[-1])
        ):
            return None
        return best[0]

    def _all(self) -> Iterator[Path]:
        for paths in self._by_name.values():
            yield from paths


def content_type_of(path: Path, told: str = "") -> str:
    """What the report told, else what the ending tells."""
    if re.fullmatch(r"[\w.+-]{1,49}/[\w.+-]{1,49}", told):
        return told
    ending = path.suffix.lower()
    return VIDEO_TYPES.get(ending) or mimetypes.types_map.get(ending, UNKNOWN_TYPE)


def _below(folder: Path) -> Iterable[Path]:
    for path in folder.rglob("*"):
        # Links could lead out of the folder, and names of other bytes into no report.
        if path.is_file() and not path.is_symlink():
            yield path


def _within(path: Path, folders: Iterable[Path]) -> Path | None:
    try:
        found = path.resolve()
        inside = any(found.is_relative_to(folder) for folder in folders)
        return found if inside and found.is_file() else None
    # Longer than a name may be, or links in a circle.
    except (OSError, RuntimeError, ValueError):
        return None


def _common_end(one: Iterable[str], other: Iterable[str]) -> int:
    length = 0
    for mine, theirs in zip(reversed(list(one)), reversed(list(other)), strict=False):
        if mine != theirs:
            break
        length += 1
    return length
