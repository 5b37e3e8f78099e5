"""The results of a run of tests, in the same form for every tool."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from visual_review.client.recordings.case_index import SEPARATOR, one_line

Status = Literal["passed", "failed", "skipped"]
LONGEST_ERROR: Final = 300
# As in Playwright's sanitizeForFilePath.
_UNSAFE: Final = re.compile(r"[\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")


@dataclass(frozen=True, slots=True)
class TestScreenshot:
    """One screenshot of a test."""

    # The name in the test, without extension.
    name: str
    # The new image; None if equal to the expectation.
    actual: Path | None = None
    # The expectation, or a copy.
    expected: Path | None = None


@dataclass(frozen=True, slots=True)
class OwnScreenshot:
    """A screenshot taken by a test for review; without ``path``, ``error`` gives the reason."""

    name: str
    path: Path | None
    theme: str = ""
    device: str = ""
    unstable: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class TestResult:
    """The last attempt of one test."""

    # Relative to any folder of the project.
    file: str
    titles: tuple[str, ...]
    project: str
    status: Status
    error: str = ""
    line: int = 0
    retry: int = 0
    # The known screenshots.
    screenshots: tuple[TestScreenshot, ...] = ()
    # Whether the test took no further screenshot.
    is_complete: bool = False
    # Screenshots without an expectation.
    own: tuple[OwnScreenshot, ...] = ()
    # The name of the test's own folder of results, which may contain the name of the project.
    folder: str = ""
    # Whether the test failed because an image differed.
    left_image: bool = False

    @property
    def title(self) -> str:
        return SEPARATOR.join(self.titles)

    @property
    def place(self) -> str:
        """Return what people find the test by, unique in the run."""
        line = f":{self.line}" if self.line else ""
        project = f" [{self.project}]" if self.project else ""
        return f"{self.file}{line} {self.title}{project}"


@dataclass(frozen=True, slots=True)
class TestRun:
    """A run of tests."""

    # Where the results are.
    place: Path
    # When the results were written, in seconds since the epoch.
    time: float
    tool: str = "Playwright"
    tests: tuple[TestResult, ...] = ()
    # Whether ``tests`` also has all passed and skipped tests.
    lists_all: bool = False
    # Whether ``tests`` has every failed test.
    names_failures: bool = True
    # Whether some tests of a file may not have run.
    is_filtered: bool = False
    projects: frozenset[str] = frozenset()
    root: Path | None = None
    commit: str = ""
    failed: int = 0
    errors: tuple[str, ...] = field(default=())
    # In seconds since the epoch.
    started: float = 0.0
    # Whether screenshots taken by tests for review are named, too.
    names_own: bool = False


def keep_last_attempts(tests: Iterable[TestResult]) -> tuple[TestResult, ...]:
    """Return each test once, with the result of the last attempt."""
    last: dict[tuple[str, tuple[str, ...], str], TestResult] = {}
    for test in tests:
        key = (test.file, test.titles, test.project)
        if key not in last or test.retry >= last[key].retry:
            last[key] = test
    return tuple(last.values())


def merge_runs(runs: list[TestRun]) -> TestRun:
    """Return the parts of one run, such as shards, as one run."""
    first = runs[0]
    return replace(
        first,
        time=min(run.time for run in runs),
        tests=keep_last_attempts(test for run in runs for test in run.tests),
        # Shards complete each other, but blob reports do not say how many there were.
        is_filtered=any(run.is_filtered for run in runs)
        and (len(runs) == 1 or any(test.is_complete for run in runs for test in run.tests)),
        projects=frozenset().union(*(run.projects for run in runs)),
        failed=sum(run.failed for run in runs),
        errors=tuple(error for run in runs for error in run.errors),
    )


def shorten_error(message: str) -> str:
    """Return the first line of an error that says anything."""
    lines = (one_line(line) for line in message.splitlines())
    return next((line for line in lines if line), "")[:LONGEST_ERROR]


def as_file_name(name: str) -> str:
    """Return the name as Playwright writes names of files: other characters are a dash."""
    return _UNSAFE.sub("-", name)
