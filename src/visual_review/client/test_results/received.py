"""Where tools other than Playwright put the new image after a mismatch."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.client.image_names.mapping import RECEIVED_FOLDERS

VITEST_ATTACHMENTS: Final = ".vitest-attachments"
_SNAPSHOT: Final = re.compile(r"(?P<name>.+?)(?:[-.]snap)?\.png", re.DOTALL)


_VITEST: Final = re.compile(
    r"(?P<base>.*/)?__screenshots__/(?P<test>[^/]+)/(?P<name>.+)-(?P<end>[a-z]+-[a-z0-9]+)\.png",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ReceivedFiles:
    """Files of a run for one expectation: the new image, or only an image of the differences."""

    image: Path | None = None
    difference: Path | None = None
    of_whole_run: bool = False

    def is_newer_than(self, expectation: Path, since: float) -> bool:
        """Whether the run was after the expectation was written, and after ``since``."""
        left = self.image or self.difference
        if left is None:
            return True
        written = left.stat().st_mtime
        return written >= expectation.stat().st_mtime and written >= since


def find_received(expectation: Path, projects: Sequence[Path]) -> ReceivedFiles | None:
    """Return the files of the last run for the expectation; None without files."""
    path = expectation.as_posix()
    for expected, actual in RECEIVED_FOLDERS:
        if expected in path and any(Path(path.partition(expected)[0] + actual).rglob("*.png")):
            image = Path(path.replace(expected, actual))
            return ReceivedFiles(image if image.is_file() else None, of_whole_run=True)
    found = next((each for each in _list_received(expectation, projects) if each.is_file()), None)
    if found is not None:
        return ReceivedFiles(found)
    difference = next((each for each in _list_differences(expectation) if each.is_file()), None)
    return None if difference is None else ReceivedFiles(difference=difference)


def _list_received(expectation: Path, projects: Sequence[Path]) -> Iterator[Path]:
    match = _SNAPSHOT.fullmatch(expectation.name)
    if match:
        folder = expectation.parent / "__received_output__"
        for snap in ("-snap", ".snap", ""):
            for ending in ("-received", ".received", ""):
                yield folder / f"{match['name']}{snap}{ending}.png"
    vitest = _VITEST.fullmatch(expectation.as_posix())
    if vitest:
        name = f"{vitest['name']}-actual-{vitest['end']}.png"
        for base in projects:
            attachments = base / VITEST_ATTACHMENTS
            inside = Path(vitest["base"] or "")
            if inside.is_relative_to(base):
                yield attachments / inside.relative_to(base) / vitest["test"] / name
            yield attachments / vitest["test"] / name


def _list_differences(expectation: Path) -> Iterator[Path]:
    match = _SNAPSHOT.fullmatch(expectation.name)
    if match:
        folder = expectation.parent / "__diff_output__"
        for ending in ("-diff", ".diff", "-snap-diff", ".snap-diff", "", ".snap"):
            yield folder / f"{match['name']}{ending}.png"
