"""Reads Playwright's folder of results, written without any reporter.

``.last-run.json`` has the status, ``error-context.md`` the name, place and error of a failed test,
and ``NAME-actual.png`` the new image of a screenshot that differed.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case_index import ReportError, one_line
from visual_review.client.test_results.model import (
    TestResult,
    TestRun,
    TestScreenshot,
    as_file_name,
    shorten_error,
)
from visual_review.client.test_results.playwright_json import pair_images

LAST_RUN: Final = ".last-run.json"
CONTEXT: Final = "error-context.md"
LARGEST_CONTEXT: Final = 4 * 1024 * 1024
_RETRY: Final = re.compile(r"(?P<name>.+?)(?:-retry(?P<retry>\d+))?")
_TEST_FILE: Final = re.compile(r"(?:\.(?:spec|test))?\.\w+$")
_NAME: Final = re.compile(r"^- Name: (?P<name>.+)$", re.MULTILINE)
_LOCATION: Final = re.compile(r"^- Location: .*?:(?P<line>\d+):\d+$", re.MULTILINE)
_ERROR: Final = re.compile(
    r"^# Error details\s+```\w*\n(?P<error>.*?)^```", re.MULTILINE | re.DOTALL
)
SNAPSHOTS: Final = "-snapshots"
CONFIGURATIONS: Final = "playwright.config.*"
_TEST_FOLDER: Final = re.compile(r"""\btestDir\s*:\s*['"`]([^'"`$]+)['"`]""")
_SKIPPED: Final = frozenset({"node_modules", ".git"})


def is_results_folder(folder: Path) -> bool:
    """Return whether Playwright wrote the folder, as ``test-results``."""
    if (folder / LAST_RUN).is_file() or any(folder.glob(f"*/{CONTEXT}")):
        return True
    return any(_has_expected(each) for each in folder.glob("*/*-actual.png"))


def _has_expected(actual: Path) -> bool:
    name = actual.name.removesuffix("-actual.png")
    return any((actual.parent / f"{name}-{kind}.png").exists() for kind in ("expected", "diff"))


def read_results_folder(folder: Path) -> TestRun:
    """Raises ReportError for a damaged ``.last-run.json``."""
    last_run = folder / LAST_RUN
    status, failed = _read_last_run(last_run) if last_run.is_file() else ("failed", None)
    passed = status == "passed"
    # Failed attempts of flaky tests leave their images, too.
    tests = () if passed else tuple(_last_attempts(folder, failed))
    place = last_run if last_run.is_file() else folder
    return TestRun(
        place,
        place.stat().st_mtime,
        tests=tests,
        names_failures=passed or failed == len(tests),
        failed=len(tests) if failed is None else failed,
        errors=(f"the run has the status '{status}'",)
        if not passed and (status != "failed" or failed == 0)
        else (),
    )


def _read_last_run(path: Path) -> tuple[str, int]:
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        return str(run["status"]), len(run.get("failedTests") or ())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(
            f"{path} cannot be read as the result of a Playwright run. Run the tests again."
        ) from error


def _last_attempts(folder: Path, failed: int | None) -> Iterator[TestResult]:
    """Yield the last attempt of each failed test.

    Flaky tests have fewer attempts than failed tests, which used all attempts.
    """
    attempts: dict[str, dict[int, Path]] = {}
    for each in sorted(folder.iterdir()):
        if each.is_dir() and not each.is_symlink() and _is_attempt(each):
            match = _RETRY.fullmatch(each.name)
            if match:
                number = int(match["retry"] or 0)
                attempts.setdefault(match["name"], {})[number] = each
    most = max((max(numbers) for numbers in attempts.values()), default=0)
    is_known = failed is not None and len(attempts) > failed
    tests = [
        _read_attempt(name, max(numbers), numbers[max(numbers)])
        for name, numbers in attempts.items()
        if max(numbers) == most or not is_known
    ]
    projects = {test.project for test in tests if test.project}
    for test in tests:
        # Long titles are shortened in the name of the folder.
        ending = next((each for each in projects if test.folder.endswith(f"-{each}")), "")
        yield replace(test, project=test.project or ending)


def _is_attempt(folder: Path) -> bool:
    return (folder / CONTEXT).is_file() or any(folder.rglob("*-actual.png"))


def _read_attempt(name: str, retry: int, folder: Path) -> TestResult:
    text = ""
    context = folder / CONTEXT
    if context.is_file() and context.stat().st_size <= LARGEST_CONTEXT:
        text = context.read_text(encoding="utf-8", errors="replace")
    named, place, error = _NAME.search(text), _LOCATION.search(text), _ERROR.search(text)
    file, *titles = [one_line(part) for part in (named["name"] if named else "").split(" >> ")]
    images = ((p.relative_to(folder).as_posix(), p) for p in sorted(folder.rglob("*.png")))
    shots: tuple[TestScreenshot, ...] = tuple(pair_images(images))
    start = as_file_name("-".join([_TEST_FILE.sub("", file), *titles]))
    return TestResult(
        file,
        tuple(titles) or (name,),
        name.removeprefix(f"{start}-") if file and name.startswith(f"{start}-") else "",
        "failed",
        shorten_error(error["error"]) if error else "",
        int(place["line"]) if place else 0,
        retry,
        shots,
        folder=name,
    )


def choose_folder(folder: Path) -> Path:
    """Return the folder with the expectations of Playwright's results, or ``folder`` itself.

    New images alone do not name their story. Raises ReportError without expectations.
    """
    if not folder.is_dir() or not is_results_folder(folder) or _list_snapshots(folder):
        return folder
    project = folder.resolve().parent
    found = _list_snapshots(project)
    if not found:
        raise ReportError(
            f"{folder} has what a Playwright run left, but there are no expectations "
            f"(*{SNAPSHOTS}) below {project}, so nothing says which stories its images show. "
            "Publish in the job that ran the tests, where both are."
        )
    chosen = _read_test_folder(project) or Path(os.path.commonpath([each.parent for each in found]))
    return Path(os.path.relpath(chosen)) if chosen.is_relative_to(Path.cwd()) else chosen


def _read_test_folder(project: Path) -> Path | None:
    for path in sorted(project.glob(CONFIGURATIONS)):
        match = _TEST_FOLDER.search(path.read_text(encoding="utf-8", errors="replace"))
        if match:
            named = (project / match[1]).resolve()
            # The folder is uploaded, so the file must not name another folder of this machine.
            return named if named.is_dir() and named.is_relative_to(project) else None
    return None


def _list_snapshots(folder: Path) -> list[Path]:
    found = []
    for place, folders, _ in os.walk(folder):
        found += [Path(place, name) for name in folders if name.endswith(SNAPSHOTS)]
        folders[:] = [each for each in folders if each not in _SKIPPED]
    return found
