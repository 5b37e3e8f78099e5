"""Reads Playwright's blob report: a zip file with the events of a run as JSON lines.

The events name every screenshot taken by a test (https://playwright.dev/docs/test-reporters).
"""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from visual_review.client.recordings.case_index import ReportError, one_line
from visual_review.client.test_results.model import (
    Status,
    TestResult,
    TestRun,
    TestScreenshot,
    as_file_name,
    keep_last_attempts,
    shorten_error,
)
from visual_review.client.test_results.playwright_json import DEEPEST, pair_images

EVENTS: Final = "report.jsonl"
LARGEST_EVENTS: Final = 512 * 1024 * 1024
LARGEST_IMAGE: Final = 64 * 1024 * 1024
_TAKES_SCREENSHOT: Final = re.compile(r"to(?:HaveScreenshot|MatchSnapshot)(?:\((?P<name>.+)\))?")
_RESOURCE: Final = re.compile(r"resources/[\w.-]+")
_UNREADABLE: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError, KeyError),
    *(ValueError, RecursionError, NotImplementedError, RuntimeError, TypeError, AttributeError),
)


def read_playwright_blob(report: Path, scratch: Path) -> TestRun:
    """Read the report; new images are unpacked into ``scratch``. Raises ReportError."""
    try:
        with zipfile.ZipFile(report) as archive:
            reader = _Reader(archive, scratch)
            for event in _events(archive):
                reader.read(event)
            return reader.finish(report)
    except _UNREADABLE as error:
        raise ReportError(
            f"{report} is not a complete blob report of Playwright ({error}). Run the tests "
            "again, or publish the JSON report of the run."
        ) from error


def _events(archive: zipfile.ZipFile) -> Iterator[dict[str, Any]]:
    if archive.getinfo(EVENTS).file_size > LARGEST_EVENTS:
        raise ValueError(f"{EVENTS} unpacks to more than {LARGEST_EVENTS // 1024**2} MB")
    with archive.open(EVENTS) as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


@dataclass(slots=True)
class _Test:
    file: str
    titles: tuple[str, ...]
    project: str
    line: int


@dataclass(slots=True)
class _Attempt:
    test: str
    retry: int
    begun: dict[str, str] = field(default_factory=dict)
    unnamed: int = 0
    equal: list[str] = field(default_factory=list)
    attachments: list[tuple[str, str]] = field(default_factory=list)
    status: Status | None = None
    error: str = ""


class _Reader:
    def __init__(self, archive: zipfile.ZipFile, scratch: Path) -> None:
        self._archive = archive
        self._scratch = scratch
        self._tests: dict[str, _Test] = {}
        self._attempts: dict[str, _Attempt] = {}
        self._projects: set[str] = set()
        self._errors: list[str] = []
        self._config: dict[str, Any] = {}
        self._ended = False

    def read(self, event: dict[str, Any]) -> None:
        params = event.get("params") or {}
        match event.get("method"):
            case "onConfigure":
                self._config = params["config"]
            case "onProject":
                self._read_project(params["project"])
            case "onError":
                self._errors.append(shorten_error(str(params["error"].get("message", ""))))
            case "onEnd":
                self._ended = True
            case _:
                self._read_attempt(event.get("method"), params)

    def _read_attempt(self, method: object, params: dict[str, Any]) -> None:
        match method:
            case "onTestBegin":
                result = params["result"]
                self._attempts[result["id"]] = _Attempt(params["testId"], int(result["retry"]))
            case "onStepBegin":
                self._read_step(self._attempts[params["resultId"]], params["step"])
            case "onStepEnd":
                attempt, step = self._attempts[params["resultId"]], params["step"]
                name = attempt.begun.get(step["id"])
                if name and not step.get("error"):
                    attempt.equal.append(name)
            case "onAttach":
                self._attach(self._attempts[params["resultId"]], params["attachments"])
            case "onTestEnd":
                self._read_end(params["test"], params["result"])

    def _read_project(self, project: dict[str, Any]) -> None:
        name = one_line(str(project.get("name", "")))
        self._projects.add(name)
        for suite in project["suites"]:
            self._read_suite(suite, name, (), suite["title"])

    def _read_suite(
        self, suite: dict[str, Any], project: str, titles: tuple[str, ...], file: str
    ) -> None:
        if len(titles) > DEEPEST:
            raise ValueError("suites are nested too deeply")
        for entry in suite.get("entries") or (*suite.get("suites", ()), *suite.get("tests", ())):
            names = (*titles, one_line(str(entry["title"])))
            if "testId" in entry:
                place = entry["location"]
                named = str(file).replace("\\", "/")
                self._tests[entry["testId"]] = _Test(named, names, project, int(place["line"]))
            else:
                self._read_suite(entry, project, names, file)

    def _read_step(self, attempt: _Attempt, step: dict[str, Any]) -> None:
        match = _TAKES_SCREENSHOT.search(str(step.get("title", "")))
        if match is None or step.get("category") != "expect":
            return
        given = (step.get("params") or {}).get("expected") or match["name"]
        if given:
            name = "/".join(map(str, given)) if isinstance(given, list) else str(given)
            attempt.begun[step["id"]] = as_file_name(name.rpartition(".")[0] or name)
        else:
            # Playwright names a screenshot without a name by the titles of the test.
            attempt.unnamed += 1
            titles = " ".join(self._tests[attempt.test].titles)
            attempt.begun[step["id"]] = as_file_name(f"{titles} {attempt.unnamed}")

    @staticmethod
    def _attach(attempt: _Attempt, attachments: list[dict[str, Any]]) -> None:
        attempt.attachments += [(str(each["name"]), str(each.get("path"))) for each in attachments]

    def _read_end(self, test: dict[str, Any], result: dict[str, Any]) -> None:
        attempt = self._attempts[result["id"]]
        self._attach(attempt, result.get("attachments") or [])
        status = result["status"]
        skipped = status == "skipped"
        as_expected = status == test.get("expectedStatus", "passed")
        attempt.status = "skipped" if skipped else "passed" if as_expected else "failed"
        errors = [str(each.get("message", "")) for each in result.get("errors") or ()]
        attempt.error = next(filter(None, map(shorten_error, errors)), "")

    def finish(self, report: Path) -> TestRun:
        if not self._ended:
            raise ValueError("its last event is missing")
        tests = keep_last_attempts(self._results())
        failed = sum(each.status == "failed" for each in tests)
        metadata = self._config.get("metadata") or {}
        root = Path(str(self._config.get("rootDir", "")))
        return TestRun(
            report,
            report.stat().st_mtime,
            tests=tests,
            lists_all=True,
            # The report does not name tests left out by a filter or run by other shards.
            is_filtered=True,
            projects=frozenset(self._projects - {""}),
            root=root if root.is_dir() else None,
            commit=str((metadata.get("gitCommit") or {}).get("hash", "")),
            failed=failed,
            errors=tuple(self._errors),
        )

    def _results(self) -> Iterator[TestResult]:
        started = {attempt.test for attempt in self._attempts.values()}
        for name, test in self._tests.items():
            if name not in started:
                yield TestResult(test.file, test.titles, test.project, "skipped", line=test.line)
        for attempt in self._attempts.values():
            test = self._tests[attempt.test]
            shots = pair_images(self._unpack(attempt))
            known = {as_file_name(shot.name) for shot in shots}
            equal = (TestScreenshot(name) for name in attempt.equal if name not in known)
            yield TestResult(
                test.file,
                test.titles,
                test.project,
                attempt.status or "failed",
                attempt.error,
                test.line,
                attempt.retry,
                (*shots, *equal),
                is_complete=True,
            )

    def _unpack(self, attempt: _Attempt) -> Iterator[tuple[str, Path | None]]:
        for name, resource in attempt.attachments:
            if _RESOURCE.fullmatch(resource) and re.search(r"-(expected|actual)\.\w+$", name):
                path = self._scratch / resource.rpartition("/")[2]
                if not path.exists():
                    if self._archive.getinfo(resource).file_size > LARGEST_IMAGE:
                        raise ValueError(f"{name} is larger than {LARGEST_IMAGE // 1024**2} MB")
                    path.write_bytes(self._archive.read(resource))
                yield name, path
