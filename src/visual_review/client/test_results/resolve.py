"""Decides which file shows what the last run rendered for each image of a snapshot folder.

An expectation counts as rendered only if the test passed, according to the run. Every failed test
is in the result: with a new image, or with an error.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from visual_review.client.image_names import NameMapping
from visual_review.client.recordings.case_index import ReportError
from visual_review.client.test_results.expected_images import (
    Expectation,
    Index,
    SourceFiles,
    find_expectations,
    rank_title,
    read_expectation,
)
from visual_review.client.test_results.last_run import (
    Places,
    are_committed,
    list_projects,
    require_current,
    time_of_switch,
)
from visual_review.client.test_results.model import (
    OwnScreenshot,
    TestResult,
    TestRun,
    TestScreenshot,
    as_file_name,
)
from visual_review.client.test_results.received import find_received

NO_EXPECTATION: Final = "no test of the report expects it"
State = Literal["expectation", "actual", "failed", "taken_over", "left_out", "file"]
REPLACED: Final = "the new image of a failed test, in place of its expectation"
NOT_STORED: Final = (
    "the test failed, and its new image was not stored ({name}); set storeReceivedOnFailure"
)
MAY_BE_OLDER: Final = (
    "Without a report of the run, nothing says whether a later run of the tests passed: delete the "
    "new images before each run, or pass --report."
)
# The rank of a test with the screenshot's name in its source, above ranks by title.
IN_SOURCE: Final = 3
WEIGHT: Final = {"failed": 3, "skipped": 2, "passed": 1}
PASSED: Final = "taken from expectations of a passed run"
UNTOUCHED: Final = "the file was written or changed since the last commit"
BEFORE: Final = "the test failed before its screenshot"
WHAT_TO_RUN: Final = (
    "Publish in the job that ran the tests, and write what they render first "
    "(Playwright: --update-snapshots, Vitest and Jest: -u),\n"
    "or add the reporter of the npm package visual-review to playwright.config.ts, or a JSON "
    "report (--report FILE),\n"
    "or pass --as-is to publish the folder as it is."
)


@dataclass(frozen=True, slots=True)
class Source:
    """Where one screenshot comes from."""

    state: State
    # Set for "actual", "expectation" and "file".
    path: Path | None
    # For people; for "failed", the error shown in the build.
    reason: str
    # The test that took the screenshot, empty if unknown.
    test: str = ""
    # The blob report with the image.
    archive: Path | None = None


@dataclass(slots=True)
class Sources:
    """The sources of the screenshots."""

    # By the names of files.
    by_file: dict[str, Source] = field(default_factory=dict)
    # Tests without a known image.
    failures: list[TestResult] = field(default_factory=list)
    # Screenshots taken by tests for review, without expectations.
    own: list[tuple[TestResult, OwnScreenshot]] = field(default_factory=list)
    # Whether there may be more, of tests that did not get to them.
    misses_tests: bool = False
    notes: list[str] = field(default_factory=list)


def find_sources(
    folder: Path,
    mapping: NameMapping,
    scratch: Path,
    reports: Sequence[Path] = (),
    *,
    inside_only: bool = False,
) -> Sources:
    """Return the source of each expectation among the images.

    Raises ReportError for unreadable results, for results older than the images or without the
    failed tests, and if nothing shows that tests rendered the images. ``inside_only``: the folder
    is of another job, which must not choose other files of this machine.
    """
    projects = [folder.resolve()] if inside_only else list_projects(folder)
    images, run = find_expectations(folder, mapping, Places(projects, reports, scratch))
    if not images and not reports:
        return Sources()
    expected = [read_expectation(each.file, folder) for each in images]
    here = [each for each in expected if not is_foreign(each)]
    tests = () if run is None else run.tests
    if not images and not any(test.own or test.status == "failed" for test in tests):
        raise ReportError(
            f"No test of the run took a screenshot: {folder} has no expectations, and the report "
            "names no other screenshots."
        )
    if images and not here:
        raise ReportError(
            f"All images in {folder} are of another platform, such as {expected[0].file}. Run the "
            f"tests on this one ({sys.platform}), or pass --as-is to publish the images."
        )
    sources = _resolve(_Folder(folder, projects, here, inside_only), run, scratch)
    for each in expected:
        if is_foreign(each):
            reason = f"is of another platform ({each.platform})"
            sources.by_file[each.file] = Source("left_out", None, reason)
    if reports:
        known = {each.file for each in images}
        for image in mapping.images:
            if image.file not in known:
                sources.by_file[image.file] = Source("left_out", None, NO_EXPECTATION)
    return sources


def is_foreign(expectation: Expectation) -> bool:
    return expectation.platform not in ("", sys.platform)


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path
    projects: Sequence[Path]
    expected: Sequence[Expectation]
    inside_only: bool

    def require_allowed(self, image: Path) -> Path:
        """Raise ReportError for a new image elsewhere, or a missing image."""
        root = self.path.resolve() if self.inside_only else self.projects[-1]
        if not image.is_file():
            raise ReportError(
                f"The results name {image}, which is not there: they are of another run than the "
                "images. Run the tests again, then publish."
            )
        if not image.resolve().is_relative_to(root):
            raise ReportError(f"The results name {image}, which is not in {root}.")
        return image


def _resolve(folder: _Folder, run: TestRun | None, scratch: Path) -> Sources:
    sources = Sources()
    files = [each.path for each in folder.expected]
    if run is None:
        _resolve_without_run(folder, sources)
        return sources
    if files:
        require_current(run, files, folder.path)
    if run.errors:
        raise ReportError(
            f"The last run did not get to all its tests: {run.errors[0]} ({run.place}). Fix that "
            "and run the tests again, then publish."
        )
    _Resolution(folder, run, scratch, sources, Index(folder.expected, run.tests)).resolve()
    return sources


def _resolve_without_run(folder: _Folder, sources: Sources) -> None:
    open_ones = _take_received(folder, sources, time_of_switch(folder.path) or 0.0)
    if any(source.state == "actual" for source in sources.by_file.values()):
        sources.notes.append(MAY_BE_OLDER)
    if not open_ones:
        return
    if sources.by_file:
        raise ReportError(
            f"The last run left the images of {len(sources.by_file)} screenshots that differ, but "
            f"nothing says that the tests of the other {len(open_ones)} passed, such as "
            f"{open_ones[0].file}.\n{WHAT_TO_RUN}"
        )
    if are_committed(folder.path, [each.path for each in open_ones]):
        raise ReportError(
            f"Nothing shows that tests rendered the {len(open_ones)} images in {folder.path}: git "
            f"has them unchanged, and there are no results of a run.\n{WHAT_TO_RUN}"
        )
    for each in open_ones:
        sources.by_file[each.file] = Source("file", each.path, UNTOUCHED)


def _take_received(folder: _Folder, sources: Sources, since: float) -> list[Expectation]:
    """Use the images of tools other than Playwright; return the expectations without an image."""
    rest = []
    for each in folder.expected:
        if each.file in sources.by_file:
            continue
        found = find_received(each.path.resolve(), folder.projects)
        if found is None or not found.is_newer_than(each.path, since):
            rest.append(each)
            continue
        if found.image is not None:
            source = Source("actual", folder.require_allowed(found.image), REPLACED)
        elif found.difference is not None:
            source = Source("failed", None, NOT_STORED.format(name=found.difference.name))
        else:
            source = Source("taken_over", None, "the last run has no image of it")
        sources.by_file[each.file] = source
    return rest


@dataclass(slots=True)
class _Resolution:
    """Resolves expectations by the results of a run."""

    folder: _Folder
    run: TestRun
    scratch: Path
    sources: Sources
    index: Index
    has_projects: bool = False
    explained: set[str] = field(default_factory=set)

    def resolve(self) -> None:
        # By default, the names of Playwright's expectations end with the project.
        self.has_projects = any(
            each.name_in(project) is not None
            for each in self.folder.expected
            for project in self.run.projects
        )
        for test in self.run.tests:
            for shot in test.screenshots:
                self._take(test, shot)
        self._take_own()
        if self.run.tool != "Playwright":
            # A run does not delete the files of an earlier run.
            _take_received(self.folder, self.sources, self.run.started)
        rest = [each for each in self.folder.expected if each.file not in self.sources.by_file]
        if rest and not self.run.names_failures:
            raise ReportError(
                f"{self.run.failed} tests of the last run failed ({self.run.place}), but the "
                f"results name {len(self.run.tests)} of them: nothing says which of the other "
                f"{len(rest)} screenshots were taken.\n{WHAT_TO_RUN}"
            )
        self._decide(rest)

    def _take_own(self) -> None:
        run, sources = self.run, self.sources
        for test in run.tests:
            for shot in test.own:
                if shot.path is not None:
                    self.folder.require_allowed(shot.path)
                sources.own.append((test, shot))
        unfinished = run.is_filtered or any(test.status != "passed" for test in run.tests)
        sources.misses_tests = unfinished and run.names_own

    def _take(self, test: TestResult, shot: TestScreenshot) -> None:
        found = self._match(test, shot)
        if shot.actual is None:
            for each in found:
                source = Source("expectation", each.path, PASSED, test.place)
                self.sources.by_file.setdefault(each.file, source)
            return
        if not found:
            return
        expectation = found[0]
        self.explained.add(test.place)
        unpacked = shot.actual.parent == self.scratch
        image = shot.actual if unpacked else self.folder.require_allowed(shot.actual)
        other = self.sources.by_file.get(expectation.file)
        if other is not None and other.state == "actual":
            raise ReportError(
                f"{other.path} and {image} are both new images of {expectation.file}, by "
                f"{other.test} and {test.place}. Give each screenshot a name of its own."
            )
        self.sources.by_file[expectation.file] = Source(
            "actual", image, REPLACED, test.place, self.run.place if unpacked else None
        )

    def _match(self, test: TestResult, shot: TestScreenshot) -> list[Expectation]:
        exact = None if shot.expected is None else self.index.by_path.get(shot.expected.resolve())
        if exact is not None:
            return [exact]
        candidates = self.index.expectations_of(test)
        fitting = [each for each in candidates if self._is_named(each, test, shot.name)]
        if len(fitting) > 1 and shot.expected is not None and shot.expected.is_file():
            # A copy of the expectation lies next to the new image.
            content = shot.expected.read_bytes()
            fitting = [each for each in fitting if each.path.read_bytes() == content] or fitting
        if len(fitting) > 1 and shot.actual is not None:
            raise ReportError(
                f"The screenshot {shot.name} of {test.place} may be {fitting[0].file} or "
                f"{fitting[1].file}. Publish with the JSON report of the run (--report FILE), "
                "which names the file."
            )
        return fitting

    def _is_named(self, expectation: Expectation, test: TestResult, name: str) -> bool:
        """Whether the expectation may be the test's screenshot with this name."""
        if not self._may_be(expectation, test):
            return False
        written = as_file_name(name)
        if not expectation.spec and written in list_endings(self._name_of(expectation, test)):
            return True
        if not test.file and expectation.name.startswith(f"{written}-"):
            # Only the folder of the test is known, with the project at the end.
            return test.folder.endswith(expectation.name.removeprefix(written))
        return written == as_file_name(self._name_of(expectation, test))

    def _name_of(self, expectation: Expectation, test: TestResult) -> str:
        """Return the test's name for the screenshot."""
        return (test.project and expectation.name_in(test.project)) or expectation.name

    def _may_be(self, expectation: Expectation, test: TestResult) -> bool:
        if test.file and not expectation.is_of(test):
            return False
        return not (
            test.project and self.has_projects and expectation.name_in(test.project) is None
        )

    def _decide(self, rest: Sequence[Expectation]) -> None:
        files = SourceFiles([*filter(None, [self.run.root]), *self.folder.projects])
        possible = {
            each.file: [t for t in self.index.tests_of(each) if self._may_be(each, t)]
            for each in rest
        }
        owners = {each.file: self._owner(each, possible[each.file], files) for each in rest}
        owned = {owner.place for owner in owners.values() if owner is not None}
        known = self.explained | owned
        unexplained = {
            test.place: test
            for test in self.run.tests
            if test.status != "passed" and test.place not in known and not test.left_image
        }
        shared: set[str] = set()
        for each in rest:
            owner = owners[each.file]
            others = [test for test in possible[each.file] if test.place in unexplained]
            if owner is not None:
                self.sources.by_file[each.file] = self._of_owner(each, owner)
            elif others and not self._is_claimed(each, files):
                shared |= {test.place for test in others}
                self.sources.by_file[each.file] = _of_unexplained(others)
            else:
                self.sources.by_file[each.file] = self._of_others(each, possible[each.file])
        self.sources.failures = [
            test
            for test in unexplained.values()
            if test.status == "failed" and test.place not in shared
        ]

    def _owner(
        self, expectation: Expectation, tests: Sequence[TestResult], files: SourceFiles
    ) -> TestResult | None:
        """Return the test that takes the screenshot, None if unknown.

        Of equally fitting tests, a failed test counts: its screenshot is never taken as fresh.
        """
        best: tuple[int, int] = (0, 0)
        owner = None
        if not self.run.is_filtered and all(test.status == "passed" for test in tests):
            return None
        for test in tests:
            name = self._name_of(expectation, test)
            lines = files.lines_with(expectation, test.file, name)
            if lines and test.line:
                rank = IN_SOURCE if test.line in lines else 0
            else:
                rank = rank_title(name, test)
            order = (rank, WEIGHT[test.status])
            if rank and order > best:
                best, owner = order, test
        return owner

    def _is_claimed(self, expectation: Expectation, files: SourceFiles) -> bool:
        """Whether a test without a failure has the screenshot's name in its source."""
        if self.run.lists_all or not expectation.spec:
            return False
        names = {self._name_of(expectation, test): test.file for test in self.run.tests}
        return any(files.lines_with(expectation, file, name) for name, file in names.items())

    def _of_owner(self, expectation: Expectation, owner: TestResult) -> Source:
        if owner.status == "failed" and self._is_of_failure(expectation):
            return Source("left_out", None, "is the screenshot of a failed test", owner.place)
        if owner.status == "failed":
            return Source("failed", None, f"{BEFORE}: {owner.error or 'no error'}", owner.place)
        if owner.status == "skipped":
            return Source("taken_over", None, "its test was skipped", owner.place)
        if owner.is_complete:
            return Source("left_out", None, "its test passed and did not take it", owner.place)
        return Source("expectation", expectation.path, PASSED, owner.place)

    def _is_of_failure(self, expectation: Expectation) -> bool:
        """Whether Vitest wrote the image for a failed test: its name has no platform."""
        return self.run.tool != "Playwright" and bool(expectation.spec) and not expectation.platform

    def _of_others(self, expectation: Expectation, tests: Sequence[TestResult]) -> Source:
        if self.run.lists_all and not tests:
            return Source("taken_over", None, "no test of its file ran")
        if self.run.is_filtered:
            return Source("taken_over", None, "nothing says that its test was among those that ran")
        if tests and self.run.lists_all and all(test.is_complete for test in tests):
            return Source("left_out", None, "no test of the run takes it")
        return Source("expectation", expectation.path, PASSED)


def list_endings(name: str) -> list[str]:
    """Return the name without some of the first folders, each as written by Playwright."""
    parts = name.split("/")
    return [as_file_name("/".join(parts[start:])) for start in range(len(parts))]


def _of_unexplained(tests: Sequence[TestResult]) -> Source:
    failed = next((test for test in tests if test.status == "failed"), None)
    if failed is None:
        return Source("taken_over", None, "a test of its file was skipped", tests[0].place)
    reason = (
        f"{failed.title} failed ({failed.error or 'no error'}), and nothing says whether it had "
        "taken this screenshot"
    )
    return Source("failed", None, reason, failed.place)
