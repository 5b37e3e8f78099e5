"""What a run of tests left, in the same form for every tool."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from visual_review.client.recordings.case import SEPARATOR, one_line

Status = Literal["passed", "failed", "skipped"]
LONGEST_ERROR: Final = 300
# As in Playwright's sanitizeForFilePath.
_UNSAFE: Final = re.compile(r"[\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")


@dataclass(frozen=True, slots=True)
class Taken:
    """One screenshot of a test; ``name`` is what the test calls it, without extension.

    ``actual`` is the new image, None if it was equal to its expectation. ``expected`` is the
    expectation, or a copy of it.
    """

    name: str
    actual: Path | None = None
    expected: Path | None = None


@dataclass(frozen=True, slots=True)
class OwnScreenshot:
    """A screenshot that a test took for review; without ``path``, ``error`` says why not."""

    name: str
    path: Path | None
    theme: str = ""
    device: str = ""
    unstable: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class TestResult:
    """The last attempt of one test. ``file`` is relative to any folder of the project.

    ``screenshots`` are those known; ``is_complete`` if no other one was taken. ``own`` have no expectation. ``folder`` is the
    name of the test's own folder of results, from which the project of a test may be read. ``left_image``: the test failed because an image differed.
    """

    file: str
    titles: tuple[str, ...]
    project: str
    status: Status
    error: str = ""
    line: int = 0
    retry: int = 0
    screenshots: tuple[Taken, ...] = ()
    is_complete: bool = False
    own: tuple[OwnScreenshot, ...] = ()
    folder: str = ""
    left_image: bool = False

    @property
    def title(self) -> str:
        return SEPARATOR.join(self.titles)

    @property
    def place(self) -> str:
        """Return what people find the test by, and no other test of the run has."""
        line = f":{self.line}" if self.line else ""
        project = f" [{self.project}]" if self.project else ""
        return f"{self.file}{line} {self.title}{project}"


@dataclass(frozen=True, slots=True)
class TestRun:
    """A run whose results are at ``place``, ``started`` and written at ``time`` (of the epoch).

    ``lists_all``: ``tests`` has those that passed and were skipped, too. ``names_failures``:
    ``tests`` has every test that failed. ``is_filtered``: some tests of a file may not have run.
    ``names_own``: the screenshots that tests took for review are named, too.
    """

    place: Path
    time: float
    tool: str = "Playwright"
    tests: tuple[TestResult, ...] = ()
    lists_all: bool = False
    names_failures: bool = True
    is_filtered: bool = False
    projects: frozenset[str] = frozenset()
    root: Path | None = None
    commit: str = ""
    failed: int = 0
    errors: tuple[str, ...] = field(default=())
    started: float = 0.0
    names_own: bool = False


def keep_last_attempts(tests: Iterable[TestResult]) -> tuple[TestResult, ...]:
    """Return each test once, as its last attempt ended."""
    last: dict[tuple[str, tuple[str, ...], str], TestResult] = {}
    for test in tests:
        key = (test.file, test.titles, test.project)
        if key not in last or test.retry >= last[key].retry:
            last[key] = test
    return tuple(last.values())


def merge_runs(runs: list[TestRun]) -> TestRun:
    """Return the parts of one run, such as those of its shards, as one."""
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
