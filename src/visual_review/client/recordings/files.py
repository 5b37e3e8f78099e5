"""Finds the files named in a report, even if moved since.

Only files in the given folder and next to the report are uploaded, whatever a report names.
"""

import mimetypes
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case_index import PathEnds
from visual_review.client.recordings.found_videos import VIDEO_TYPES
from visual_review.client.recordings.traces import UnpackLimit
from visual_review.client.transport.errors import InputError

UNKNOWN_TYPE: Final = "application/octet-stream"
# Playwright uses these file names for every test; only the folders differ.
_COMMON_NAME: Final = re.compile(r"(video|trace|test-(failed|finished)-\d+)(-\d+)?\.\w+")


class Files:
    """The files below ``folder``, by name."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(
                f"There is no folder {folder}. Run the tests with video recording first."
            )
        self.folder = folder.resolve()
        # Of the whole run: many reports may name the same archive.
        self.unpack_limit = UnpackLimit()
        self._paths = list(_list_files(self.folder))
        self._ends: PathEnds[Path] = PathEnds()
        for path in self._paths:
            self._ends.add(path.parts, path)

    def videos(self) -> list[Path]:
        """Return all files with the extension of a video, sorted by path."""
        return sorted(path for path in self._paths if path.suffix.lower() in VIDEO_TYPES)

    def with_suffixes(self, *suffixes: str) -> list[Path]:
        return sorted(path for path in self._paths if path.suffix.lower() in suffixes)

    def relative(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def find(self, named: str, report: Path) -> Path | None:
        """Return the file named in ``report``, at the named path or where moved."""
        if not named or "\0" in named:
            return None
        # A report written on Windows may be read elsewhere.
        parts = [part for part in named.replace("\\", "/").split("/") if part not in ("", ".")]
        report_folder = report.resolve().parent
        for candidate in (Path(named), report_folder / named, self.folder / named):
            if path := _resolve_within(candidate, (self.folder, report_folder)):
                return path
        return self._find_moved(parts)

    def _find_moved(self, parts: list[str]) -> Path | None:
        """Return the file whose path has the longest common end, if there is only one."""
        length, found = self._ends.find(parts)
        if length == 1 and len(parts) > 1 and _COMMON_NAME.fullmatch(parts[-1]):
            return None
        return found


def guess_content_type(path: Path, reported: str = "") -> str:
    """Return the content type from the report, otherwise from the extension."""
    if re.fullmatch(r"[\w.+-]{1,49}/[\w.+-]{1,49}", reported):
        return reported
    extension = path.suffix.lower()
    return VIDEO_TYPES.get(extension) or mimetypes.types_map.get(extension, UNKNOWN_TYPE)


def _list_files(folder: Path) -> Iterable[Path]:
    for path in folder.rglob("*"):
        # Links could lead out of the folder.
        if path.is_file() and not path.is_symlink():
            yield path


def _resolve_within(path: Path, folders: Iterable[Path]) -> Path | None:
    try:
        found = path.resolve()
        inside = any(found.is_relative_to(folder) for folder in folders)
        return found if inside and found.is_file() else None
    # A name that is too long, or links in a circle.
    except (OSError, RuntimeError, ValueError):
        return None
