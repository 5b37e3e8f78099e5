"""Finds the test of an expectation, by the path, the name and the source of the test."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.image_names import NamedImage, NameMapping
from visual_review.client.image_names.readers import BY_NAME
from visual_review.client.recordings.case_index import ReportError
from visual_review.client.test_results.last_run import JEST, PLAYWRIGHT, Places, find_run
from visual_review.client.test_results.model import TestResult, TestRun, as_file_name

_SPEC: Final = r"[^/]+\.(?:spec|test|cy|visual|e2e)\.[cm]?[jt]sx?"
_IN_SNAPSHOTS: Final = re.compile(
    rf"(?P<spec>(?:.*/)?{_SPEC})(?:-snapshots)?/(?P<name>.+)\.\w+", re.DOTALL
)
_PLATFORM: Final = re.compile(r"(?P<name>.*)-(?P<platform>linux|darwin|win32)", re.DOTALL)
_TOOL_FOLDER: Final = re.compile(r"(^|/)__screenshots__/")
_FILE_IN_NAME: Final = re.compile(r"-(?:spec|test|cy|visual|e2e)-[cm]?[jt]sx?-")
_TEST: Final = re.compile(r"\s*(?:test|it)(?:\.\w+)?\(")
_TERM: Final = re.compile(r"[^\W_]+")
_COUNTED: Final = re.compile(r"(?P<name>.+?)-\d+", re.DOTALL)
EQUAL_TITLE: Final = 2
SIMILAR_TITLE: Final = 1
LARGEST_SOURCE: Final = 4 * 1024 * 1024
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


@dataclass(frozen=True, slots=True)
class Expectation:
    """An image expected by a test."""

    file: str
    path: Path
    # The file of the test, empty if not in the path.
    spec: str
    # Without platform and extension, possibly with Playwright's project at the end.
    name: str
    platform: str

    def is_of(self, test: TestResult) -> bool:
        """Whether the expectation is in the folder of the test's file."""
        if not self.spec:
            # jest-image-snapshot begins the name with the name of the test's file.
            file = split_terms(PurePosixPath(test.file).name)
            terms = split_terms(PurePosixPath(self.name).name)
            return terms[: len(file)] == file or not _FILE_IN_NAME.search(self.name)
        return ends_alike(self.spec, test.file)

    def name_in(self, project: str) -> str | None:
        """Return the name without the project at the end; None for a name without the project."""
        if project in PurePosixPath(self.file).parts[:-1]:
            return self.name
        ending = f"-{as_file_name(project)}"
        return self.name.removesuffix(ending) if self.name.endswith(ending) else None


class Index:
    """Expectations and tests by the name of the test's file, so that each lookup is short."""

    def __init__(self, expectations: Sequence[Expectation], tests: Sequence[TestResult]) -> None:
        self.by_path = {each.path.resolve(): each for each in expectations}
        self._expectations: defaultdict[str, list[Expectation]] = defaultdict(list)
        self._tests: defaultdict[str, list[TestResult]] = defaultdict(list)
        for each in expectations:
            self._expectations[PurePosixPath(each.spec).name].append(each)
        for test in tests:
            self._tests[PurePosixPath(test.file).name].append(test)

    def expectations_of(self, test: TestResult) -> list[Expectation]:
        """Return the expectations that may be of the test's file: all if the file is unknown."""
        if not test.file:
            return list(self.by_path.values())
        return self._expectations[PurePosixPath(test.file).name] + self._expectations[""]

    def tests_of(self, expectation: Expectation) -> list[TestResult]:
        if not expectation.spec:
            return [test for tests in self._tests.values() for test in tests]
        return self._tests[PurePosixPath(expectation.spec).name] + self._tests[""]


def read_expectation(file: str, folder: Path) -> Expectation:
    location = f"{folder.resolve().as_posix()}/{file}"
    match = _IN_SNAPSHOTS.fullmatch(location)
    name = match["name"] if match else file.rpartition(".")[0]
    spec = _TOOL_FOLDER.sub(r"\1", match["spec"]) if match else ""
    platform = _PLATFORM.fullmatch(name)
    return Expectation(
        file,
        folder / file,
        spec,
        platform["name"] if platform else name,
        platform["platform"] if platform else "",
    )


def ends_alike(one: str, other: str) -> bool:
    """Return whether one path ends with all parts of the other."""
    parts = [[p for p in path.split("/") if p not in ("", ".")] for path in (one, other)]
    short, long = sorted(parts, key=len)
    return bool(short) and long[-len(short) :] == short


@lru_cache(maxsize=10_000)
def split_terms(text: str) -> list[str]:
    return _TERM.findall(text.casefold())


def contains_terms(terms: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether ``part`` occurs in ``terms`` without a gap."""
    length = len(part)
    return bool(part) and any(
        list(terms[start : start + length]) == list(part)
        for start in range(len(terms) - length + 1)
    )


def rank_title(name: str, test: TestResult) -> int:
    """Return how well a screenshot's name fits the title of a test, 0 for no fit.

    A screenshot without a name gets the titles of the test and a number.
    """
    counted = _COUNTED.fullmatch(name)
    titles, last = split_terms(" ".join(test.titles)), split_terms(test.titles[-1])
    rank = 0
    for each in filter(None, (name, counted and counted["name"])):
        terms = split_terms(each)
        if terms in (titles, last):
            return EQUAL_TITLE
        if contains_terms(terms, last) or contains_terms(titles, terms):
            rank = SIMILAR_TITLE
    return rank


class SourceFiles:
    """The sections of tests in their source files, each file read once."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._sections: dict[Path, dict[int, str]] = {}

    def lines_with(self, expectation: Expectation, file: str, name: str) -> set[int]:
        """Return the lines of the tests of ``file`` with the screenshot's name as a string."""
        places = [root / file for root in self._roots]
        path = next((each for each in [Path(expectation.spec), *places] if each.is_file()), None)
        last = re.escape(name.rpartition("/")[2])
        # A string without extension may mean anything else, such as a name in a list of pages.
        named = rf"""(?:toMatchScreenshot\(|Identifier:)\s*["'`]{last}["'`]"""
        string = re.compile(rf"""["'`/]{last}\.png["'`]|{named}""")
        return {line for line, text in self._read(path).items() if string.search(text)}

    def _read(self, path: Path | None) -> dict[int, str]:
        if path is None or path.stat().st_size > LARGEST_SOURCE:
            return {}
        if path not in self._sections:
            text = path.read_text(encoding="utf-8", errors="replace")
            self._sections[path] = split_tests(text)
        return self._sections[path]


def split_tests(text: str) -> dict[int, str]:
    """Return the source of each test by its line, from 1.

    A test ends before the next line without further indentation, other than closing brackets.
    """
    lines = text.splitlines()
    sections = {}
    for number, line in enumerate(lines):
        if _TEST.match(line):
            indent = len(line) - len(line.lstrip())
            end = number + 1
            while end < len(lines) and _is_inside(lines[end], indent):
                end += 1
            sections[number + 1] = "\n".join(lines[number:end])
    return sections


def _is_inside(line: str, indent: int) -> bool:
    text = line.lstrip()
    return not text or len(line) - len(text) > indent or text.startswith(("}", ")"))


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
