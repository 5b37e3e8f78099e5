"""Finds the expectations among the images of a folder: by their paths, or by a run's names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from visual_review.client.image_names import NamedImage, NameMapping
from visual_review.client.image_names.presets import BY_NAME
from visual_review.client.recordings.case import ReportError
from visual_review.client.test_results.last_run import JEST, PLAYWRIGHT, Places, find_run
from visual_review.client.test_results.model import TestRun, as_file_name

# Parts of a path that mark an expectation, whatever else is in the folder.
SNAPSHOTS_OF_JEST: Final = BY_NAME["image-snapshot"].sign
# Configurations put expectations anywhere, but commonly below the name of the test's file.
TEST_FOLDER: Final = re.compile(r"/[^/]+\.(?:spec|test)\.[cm]?[jt]sx?/")
SIGNS: Final = (
    *(BY_NAME["playwright"].sign, BY_NAME["vitest"].sign, SNAPSHOTS_OF_JEST, TEST_FOLDER),
)
REFERENCE_FOLDERS: Final = (
    *(
        "/.loki/reference/",
        "/.lostpixel/baseline/",
        "/cypress/snapshots/",
        "/cypress-image-diff-screenshots/baseline/",
    ),
)


def find_expectations(
    folder: Path, mapping: NameMapping, places: Places
) -> tuple[list[NamedImage], TestRun | None]:
    """Return the expectations, and the last run of their tests. Raises ReportError."""
    images = [each for each in mapping.images if is_expectation(each.file, folder)]
    run = _find_run(replace(places, kinds=list_kinds(images, folder)), images)
    if run is None:
        return images, None
    paths = [folder / each.file for each in mapping.images]
    known = KnownExpectations.of(run, paths, with_names=bool(places.given))
    found = [
        each
        for each in mapping.images
        if is_expectation(each.file, folder) or known.has(folder / each.file)
    ]
    return found, run


def _find_run(places: Places, images: Sequence[NamedImage]) -> TestRun | None:
    try:
        return find_run(places)
    except ReportError:
        if images or places.given:
            raise
        # Damaged results next to images of another tool say nothing about the images.
        return None


@dataclass(frozen=True, slots=True)
class KnownExpectations:
    """The expectations named by a run, wherever the tool's configuration puts expectations."""

    # Folders of the run's known expectations.
    folders: frozenset[Path]
    # Names of screenshots in the run's tests.
    names: frozenset[str]

    @classmethod
    def of(cls, run: TestRun, images: Sequence[Path], *, with_names: bool) -> "KnownExpectations":
        shots = [shot for test in run.tests for shot in test.screenshots]
        copies, folders = [], set()
        for shot in shots:
            if shot.expected is None or not shot.expected.is_file():
                continue
            # Without a report, only a copy of the expectation lies next to the new image.
            if shot.actual is not None and shot.actual.parent == shot.expected.parent:
                copies.append(shot.expected)
            else:
                folders.add(shot.expected.resolve().parent)
        folders |= {image.resolve().parent for image in _find_equal(images, copies)}
        names = {as_file_name(shot.name) for shot in shots} if with_names else set()
        return cls(frozenset(folders), frozenset(names))

    def has(self, image: Path) -> bool:
        inside = any(parent in self.folders for parent in image.resolve().parents)
        return inside or as_file_name(image.stem) in self.names


def _find_equal(images: Sequence[Path], copies: Sequence[Path]) -> list[Path]:
    """Return the images equal to one of the copies."""
    sizes = {path.stat().st_size for path in copies}
    contents = {path.read_bytes() for path in copies}
    return [
        path for path in images if path.stat().st_size in sizes and path.read_bytes() in contents
    ]


def is_expectation(file: str, folder: Path) -> bool:
    location = f"{folder.resolve().as_posix()}/{file}"
    return any(sign.search(location) for sign in SIGNS) or any(
        each in location for each in REFERENCE_FOLDERS
    )


def list_kinds(images: Sequence[NamedImage], folder: Path) -> frozenset[str]:
    """Return the kinds of reports that may be about the images."""
    location = folder.resolve().as_posix()
    found = [BY_NAME["vitest"].sign.search(f"{location}/{each.file}") for each in images]
    others = [SNAPSHOTS_OF_JEST.search(f"{location}/{each.file}") for each in images]
    if any(found) or any(others):
        return JEST
    return PLAYWRIGHT
