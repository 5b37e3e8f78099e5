"""Finds the test of an expectation, by the path, the name and the source of the test."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.test_results.model import TestResult, as_file_name

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
