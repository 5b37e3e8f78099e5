"""Reads Playwright's JSON report, and the report of our npm package's reporter.

The JSON report names the images of screenshots that differed. Our reporter adds ``screenshots`` to
each result: the names of all screenshots (https://playwright.dev/docs/test-reporters).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.recordings.case_index import ReportError, one_line
from visual_review.client.recordings.json_report import JsonNode
from visual_review.client.test_results.model import (
    OwnScreenshot,
    Status,
    TestResult,
    TestRun,
    TestScreenshot,
    keep_last_attempts,
    shorten_error,
)
from visual_review.variants import DEVICES, THEMES

_STATUS: Final[dict[str, Status]] = {
    "expected": "passed",
    "flaky": "passed",
    "unexpected": "failed",
    "skipped": "skipped",
}
# After these options, or "file.spec.ts:12", other tests of a file do not run.
_FILTERS: Final = re.compile(
    r"-g|-x|--(?:grep|grep-invert|last-failed|only-changed|shard|max-failures|test-list)(?:=.*)?"
    r"|.*\.[cm]?[jt]sx?:\d+(?::\d+)?"
)
_IMAGE: Final = re.compile(r"(?P<name>.+)-(?P<kind>expected|actual)\.\w+", re.DOTALL)
DEEPEST: Final = 50


def read_playwright_json(report: Path) -> TestRun:
    """Raises ReportError unless the file is a complete JSON report."""
    root = JsonNode.read(report)
    if not (root.has("config") and root.has("suites")):
        raise ReportError(f"{report} is not a JSON report of Playwright (--reporter=json).")
    config = root.child("config")
    base = Path(config.text("configFile")).parent if config.has("configFile") else None
    files = _Files(report, base)
    tests = keep_last_attempts(
        test
        for suite in root.items("suites")
        for test in _read_suite(suite, report, suite.text("file"), (), files)
    )
    argv = config.members().get("argv") or []
    failed = sum(test.status == "failed" for test in tests)
    metadata = config.child("metadata")
    return TestRun(
        report,
        report.stat().st_mtime,
        tests=tests,
        lists_all=True,
        is_filtered=config.has("shard")
        or any(isinstance(each, str) and _FILTERS.fullmatch(each) for each in argv),
        projects=frozenset(
            one_line(each.text("name")) for each in config.items("projects") if each.text("name")
        ),
        root=files.locate_folder(config.text("rootDir")),
        commit=metadata.child("gitCommit").text("hash") or metadata.child("ci").text("commitHash"),
        failed=failed,
        errors=tuple(shorten_error(each.text("message")) for each in root.items("errors")),
        names_own=any(test.is_complete for test in tests),
    )


class _Files:
    """Finds the files named in a report, even if the project has moved."""

    def __init__(self, report: Path, base: Path | None) -> None:
        self._base = base
        self._local = [report.resolve().parent, *report.resolve().parents[1:3]]

    def locate(self, named: str) -> Path | None:
        path = Path(named)
        if path.is_file() or self._base is None:
            return path if named else None
        found = (folder / self._relative(path) for folder in self._local)
        return next((each for each in found if each.is_file()), path)

    def locate_folder(self, named: str) -> Path | None:
        path = Path(named)
        if not named or path.is_dir() or self._base is None:
            return path if named else None
        found = (folder / self._relative(path) for folder in self._local)
        return next((each for each in found if each.is_dir()), None)

    def _relative(self, path: Path) -> PurePosixPath:
        base = self._base
        inside = base is not None and path.is_relative_to(base)
        return PurePosixPath(path.relative_to(base) if inside and base else path.name)


def _read_suite(
    suite: JsonNode, report: Path, file: str, titles: tuple[str, ...], files: _Files
) -> Iterator[TestResult]:
    if len(titles) > DEEPEST:
        raise ReportError(f"{report}: suites are nested deeper than {DEEPEST}.")
    for spec in suite.items("specs"):
        for test in spec.items("tests"):
            yield from _read_test(spec, test, spec.text("file") or file, titles, files)
    for inner in suite.items("suites"):
        names = (*titles, one_line(inner.text("title")))
        yield from _read_suite(inner, report, inner.text("file") or file, names, files)


def _read_test(
    spec: JsonNode, test: JsonNode, file: str, titles: tuple[str, ...], files: _Files
) -> Iterator[TestResult]:
    results = list(test.items("results"))
    status = _STATUS.get(test.text("status"), "failed")
    last = max(results, key=lambda each: each.number("retry"), default=None)
    if last is not None and last.text("status") == "interrupted":
        status = "failed"
    names = None if last is None else last.members().get("screenshots")
    shots = () if last is None else tuple(_read_images(last, files))
    known = {shot.name for shot in shots}
    equal = [TestScreenshot(one_line(str(each))) for each in names or () if str(each) not in known]
    yield TestResult(
        file.replace("\\", "/"),
        (*titles, one_line(spec.text("title"))),
        one_line(test.text("projectName")),
        status,
        error="" if last is None else _error_of(last),
        line=spec.number("line"),
        retry=0 if last is None else last.number("retry"),
        screenshots=(*shots, *equal),
        is_complete=names is not None,
        own=() if last is None else tuple(_read_own(last)),
    )


def _read_own(result: JsonNode) -> Iterator[OwnScreenshot]:
    for image in result.items("images"):
        theme, device = image.text("theme"), image.text("device")
        if theme not in ("", *THEMES) or device not in ("", *DEVICES):
            raise image.type_error("a theme and a device that are known")
        yield OwnScreenshot(
            one_line(image.text("name")) or "screenshot",
            Path(image.text("path")) if image.text("path") else None,
            theme,
            device,
            shorten_error(image.text("unstable")),
            shorten_error(image.text("error")),
        )


def _error_of(result: JsonNode) -> str:
    messages = [shorten_error(each.text("message")) for each in result.items("errors")]
    return next(filter(None, messages), "") or shorten_error(result.child("error").text("message"))


def _read_images(result: JsonNode, files: _Files) -> Iterator[TestScreenshot]:
    named = [(each.text("name"), each.text("path")) for each in result.items("attachments")]
    yield from pair_images((name, files.locate(path)) for name, path in named if path)


def pair_images(attachments: Iterator[tuple[str, Path | None]]) -> Sequence[TestScreenshot]:
    """Return the screenshots with an attached new image, each with its expectation."""
    found: dict[str, dict[str, Path]] = {}
    for name, path in attachments:
        match = _IMAGE.fullmatch(name)
        if match and path is not None:
            found.setdefault(match["name"], {})[match["kind"]] = path
    return [
        TestScreenshot(name, images["actual"], images.get("expected"))
        for name, images in found.items()
        if "actual" in images
    ]
