"""Finds the results of the last run of tests, and refuses results of another project state."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from visual_review.client.git import run_git
from visual_review.client.recordings.case_index import ReportError, clean, one_line
from visual_review.client.recordings.json_report import JsonNode
from visual_review.client.test_results.model import (
    Status,
    TestResult,
    TestRun,
    TestScreenshot,
    merge_runs,
    shorten_error,
)
from visual_review.client.test_results.playwright_blob import read_playwright_blob
from visual_review.client.test_results.playwright_folder import (
    LAST_RUN,
    is_results_folder,
    read_results_folder,
)
from visual_review.client.test_results.playwright_json import read_playwright_json

_STATUS: Final[dict[str, Status]] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}
_EXPECTED: Final = re.compile(r"^Reference screenshot:\s+(?P<path>\S.*\.png)$", re.MULTILINE)
_ACTUAL: Final = re.compile(r"^Actual screenshot:\s+(?P<path>\S.*\.png)$", re.MULTILINE)
_WRITTEN: Final = "a new one was created"
# jest-image-snapshot names the image of the differences.
_DIFFERENCE: Final = re.compile(r"__diff_output__[/\\]\S")
RESULTS: Final = "test-results"
PLAYWRIGHT: Final = frozenset({"playwright", "blob"})
JEST: Final = frozenset({"jest"})
BLOBS: Final = "blob-report"
# Folders where configurations commonly put the JSON report; "" is the project itself.
REPORT_FOLDERS: Final = ("", RESULTS, "playwright-report", "reports", BLOBS)
START_LENGTH: Final = 200
# A run writes its reports one after the other.
SAME_RUN_SECONDS: Final = 60.0
REFLOG_LENGTH: Final = "50"


def read_jest_json(report: Path) -> TestRun:
    """Raises ReportError if the report is not complete."""
    root = JsonNode.read(report)
    if not (root.has("testResults") and root.has("numTotalTests")):
        raise ReportError(f"{report} is not a JSON report of Jest or Vitest (--reporter=json).")
    files = list(root.items("testResults"))
    tests = tuple(test for file in files for test in _read_file(file))
    failed = sum(test.status == "failed" for test in tests)
    errors = [
        f"{file.text('name')}: {shorten_error(file.text('message'))}"
        for file in files
        # A file with an error while loading has no tests.
        if file.text("status") == "failed" and not list(file.items("assertionResults"))
    ]
    return TestRun(
        report,
        report.stat().st_mtime,
        tool="Vitest or Jest",
        tests=tests,
        lists_all=True,
        failed=failed,
        errors=tuple(errors),
        started=_read_start(root),
    )


def _read_start(root: JsonNode) -> float:
    """Return seconds of the epoch; the report has milliseconds."""
    value = root.members().get("startTime")
    return value / 1000 if isinstance(value, int | float) and value > 0 else 0.0


def _read_file(file: JsonNode) -> Iterator[TestResult]:
    name = Path(file.text("name"))
    inside = name.is_relative_to(Path.cwd())
    place = (name.relative_to(Path.cwd()) if inside else name).as_posix()
    for test in file.items("assertionResults"):
        titles = test.members().get("ancestorTitles") or []
        messages = [clean(str(each)) for each in test.members().get("failureMessages") or []]
        images = tuple(image for each in messages for image in _read_images(each))
        yield TestResult(
            place,
            (*(one_line(str(each)) for each in titles), one_line(test.text("title"))),
            "",
            _STATUS.get(test.text("status"), "failed"),
            shorten_error(messages[0]) if messages else "",
            line=test.child("location").number("line"),
            screenshots=images,
            left_image=any(_DIFFERENCE.search(each) for each in messages),
        )


def _read_images(message: str) -> Iterator[TestScreenshot]:
    """Yield the images named in the message of Vitest's toMatchScreenshot."""
    expected, actual = _EXPECTED.search(message), _ACTUAL.search(message)
    if expected and (actual or _WRITTEN in message):
        path = Path(expected["path"])
        # Without an expectation, the new image becomes one, and the test fails.
        yield TestScreenshot(path.stem, Path(actual["path"]) if actual else path, path)


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look for results."""

    # From the folder up to the root of the repository.
    projects: Sequence[Path]
    # Reports named by the user.
    given: Sequence[Path]
    # Receives the images of blob reports.
    scratch: Path
    # Reports not named by the user count only if of one of these kinds.
    kinds: frozenset[str] = frozenset()


def list_projects(folder: Path) -> list[Path]:
    """Return the folders that may have results about the images, the nearest first."""
    found = []
    for base in (folder.resolve(), *folder.resolve().parents):
        found.append(base)
        if (base / ".git").exists():
            return found
    # Outside a repository, nothing says where the project ends.
    return found[:2]


def find_run(places: Places) -> TestRun | None:
    """Return the last run, from the most detailed report. Raises ReportError."""
    if places.given:
        return merge_runs([_read_report(path, places.scratch) for path in places.given])
    for base in places.projects:
        folder = base if is_results_folder(base) else base / RESULTS
        last = folder / LAST_RUN
        newest = last.stat().st_mtime if last.is_file() else 0.0
        found = [
            path
            for path in _list_reports(base)
            if _kind_of(path) in places.kinds and path.stat().st_mtime + SAME_RUN_SECONDS >= newest
        ]
        if found:
            return _read_newest(found, places.scratch)
        if places.kinds == PLAYWRIGHT and folder.is_dir() and is_results_folder(folder):
            return read_results_folder(folder)
    return None


def _list_reports(base: Path) -> Iterator[Path]:
    for name in REPORT_FOLDERS:
        for path in sorted((base / name).glob("*.json")):
            if path.name != LAST_RUN:
                yield path
    yield from sorted((base / BLOBS).glob("*.zip"))


def _read_newest(found: Sequence[Path], scratch: Path) -> TestRun:
    """Read the newest report; several blobs or JSON reports are the shards of one run."""
    newest = max(found, key=lambda path: path.stat().st_mtime)
    kind = _kind_of(newest)
    # Blobs of shards lie in one folder; two other reports next to each other may be two runs.
    if kind == "blob":
        parts = [path for path in found if path.parent == newest.parent]
        return merge_runs([_read_report(path, scratch) for path in parts if _kind_of(path) == kind])
    return _read_report(newest, scratch)


def _kind_of(path: Path) -> str:
    if path.suffix == ".zip":
        return "blob"
    try:
        with path.open("rb") as file:
            start = b"".join(file.read(START_LENGTH).split())
    except OSError:
        return ""
    if start.startswith(b'{"config":{'):
        return "playwright"
    return "jest" if start.startswith((b'{"numFailed', b'{"numTotal')) else ""


def _read_report(path: Path, scratch: Path) -> TestRun:
    if not path.is_file():
        raise ReportError(f"There is no report {path}.")
    match _kind_of(path):
        case "blob":
            return read_playwright_blob(path, scratch)
        case "playwright":
            return read_playwright_json(path)
        case "jest":
            return read_jest_json(path)
    raise ReportError(
        f"{path} is no report of a run that is known: JSON or blob of Playwright, JSON of Vitest "
        "or Jest. Is it complete?"
    )


def require_current(run: TestRun, images: Sequence[Path], folder: Path) -> None:
    """Raise ReportError if the run is older than the images, or of another commit."""
    newest = max(images, key=lambda path: path.stat().st_mtime)
    written = newest.stat().st_mtime
    if run.time < written:
        raise ReportError(
            f"{run.place} is from {_date(run.time)}, but {newest} was written at {_date(written)}: "
            "the results are older than the images. Run the tests again, then publish."
        )
    head = run_git(folder, "rev-parse", "HEAD").strip()
    if run.commit and head and run.commit != head:
        raise ReportError(
            f"{run.place} has the results of the commit {run.commit[:12]} ({_date(run.time)}), but "
            f"{head[:12]} is checked out. Run the tests again, then publish."
        )
    switched = time_of_switch(folder)
    if switched is not None and run.time < switched:
        raise ReportError(
            f"{run.place} is from {_date(run.time)}, but another commit was checked out at "
            f"{_date(switched)}. Run the tests again, then publish."
        )


def time_of_switch(folder: Path) -> float | None:
    """Return when git last switched files, such as by a checkout; new commits do not count."""
    lines = run_git(folder, "reflog", "-n", REFLOG_LENGTH, "--date=unix", "--format=%gd|%gs")
    for line in lines.splitlines():
        place, _, subject = line.partition("|")
        if not subject.startswith("commit"):
            seconds = place.rpartition("{")[2].rstrip("}")
            return float(seconds) if seconds.isdigit() else None
    return None


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def are_committed(folder: Path, files: Sequence[Path]) -> bool:
    """Whether git has all of the files unchanged; False outside a repository or without git."""
    # The checkout of a CI machine may belong to another user.
    read = partial(run_git, folder, "-c", "safe.directory=*", "-c", "core.fsmonitor=false")
    if read("status", "--porcelain", "-z", "--", "."):
        return False
    known = {(folder / name).resolve() for name in read("ls-files", "-z").split("\0") if name}
    return {file.resolve() for file in files} <= known
