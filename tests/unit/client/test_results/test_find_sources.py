"""The file with an image of the last run of tests, found by the traces that tools leave."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.case import Case
from visual_review.client.image_names import NamingOptions
from visual_review.client.publishing.image_folder import map_folder
from visual_review.client.test_results import Source, Sources, find_sources
from visual_review.client.test_results.playwright_folder import choose_folder
from visual_review.client.transport.errors import InputError

BEFORE, AFTER = 1_000_000, 2_000_000
SNAPSHOTS = "tests/home.spec.ts-snapshots"
END = f"-chromium-{sys.platform}.png"
SPEC = """\
import { expect, test } from "@playwright/test";
test("first", async ({ page }) => {
  await expect(page).toHaveScreenshot("top.png");
  await expect(page).toHaveScreenshot("bottom.png");
});
for (const name of names) {
  test(`card ${name}`, async ({ page }) => {
    await expect(page).toHaveScreenshot(`${name}.png`);
  });
}
"""


@dataclass(frozen=True)
class Project:
    folder: Path

    def write(self, name: str, text: str = "", time: float = BEFORE) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (time, time))
        return path

    def expect(self, *names: str) -> None:
        for name in names:
            self.write(f"{SNAPSHOTS}/{name}{END}", name)

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example")
        command = ["git", *identity, *arguments]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def sources(self, *reports: str, folder: str = "tests") -> Sources:
        place = self.folder / folder
        scratch = self.folder / ".scratch"
        scratch.mkdir(exist_ok=True)
        given = [self.folder / name for name in reports]
        return find_sources(place, map_folder(place, NamingOptions()), scratch, given)

    def states(self, *reports: str) -> dict[str, str]:
        """Return the states by the names of the screenshots."""
        found = self.sources(*reports).by_file
        return {name.rpartition("/")[2].removesuffix(END): s.state for name, s in found.items()}

    def refusal(self, *reports: str, folder: str = "tests") -> str:
        with pytest.raises(InputError) as caught:
            self.sources(*reports, folder=folder)
        return str(caught.value)

    def leave_run(self, status: str, failed: int = 0, time: float = AFTER) -> None:
        left = {"status": status, "failedTests": [f"test-{number}" for number in range(failed)]}
        self.write("test-results/.last-run.json", json.dumps(left), time)

    def fail(self, folder: str, name: str, line: int = 0, images: Iterable[str] = ()) -> None:
        """Write the files of a failed test: the error, and the new images."""
        text = (
            f"# Test info\n\n- Name: home.spec.ts >> {name}\n- Location: tests/home.spec.ts:"
            f"{line}:1\n\n# Error details\n\n```\nTimeoutError: late\n```\n"
        )
        self.write(f"test-results/{folder}/error-context.md", text, AFTER)
        for image in images:
            for kind, content in (("expected", image), ("actual", "new")):
                self.write(f"test-results/{folder}/{image}-{kind}.png", content, AFTER)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.write("tests/home.spec.ts", SPEC)
    made.git("init", "--quiet")
    return made


def test_new_images_take_the_place_of_their_expectations(project: Project) -> None:
    project.expect("top", "bottom", "one")
    project.leave_run("failed", failed=1)
    project.fail("home-first-chromium", "first", 2, ["bottom"])
    found = project.sources().by_file
    assert found[f"home.spec.ts-snapshots/bottom{END}"] == Source(
        "actual",
        project.folder / "test-results/home-first-chromium/bottom-actual.png",
        "the new image of a failed test, in place of its expectation",
        "home.spec.ts:2 first [chromium]",
    )
    # The image may have been taken before the other one, but nothing proves the order.
    assert project.states() == {"top": "failed", "bottom": "actual", "one": "expectation"}


def test_a_test_without_an_image_owns_what_its_lines_or_its_title_name(
    project: Project, case: Case
) -> None:
    project.expect("top", "bottom", "one", "two")
    project.leave_run("failed", failed=1)
    for folder, name, line, failed in (
        ("home-first-chromium", "first", 2, {"top", "bottom"}),
        ("home-card-one-chromium", "card one", 7, {"one"}),
    ):
        with case(name):
            project.fail(folder, name, line)
            states = project.states()
            assert {name for name, state in states.items() if state == "failed"} == failed
            for path in (project.folder / "test-results").glob("home-*/*"):
                path.unlink()


def test_where_nothing_says_whose_a_screenshot_is_none_is_fresh(project: Project) -> None:
    project.expect("one", "two", "top")
    project.leave_run("failed", failed=1)
    project.fail("home-other-chromium", "other", 40)
    # "top" is named in the lines of another test.
    assert project.states() == {"one": "failed", "two": "failed", "top": "expectation"}
    (path,) = (project.folder / "tests").glob(f"*/one{END}")
    assert (
        "nothing says whether it had taken"
        in project.sources().by_file[path.relative_to(project.folder / "tests").as_posix()].reason
    )


def test_a_failed_test_without_any_screenshot_is_a_failure_of_its_own(project: Project) -> None:
    project.expect("top")
    project.leave_run("failed", failed=1)
    project.fail("home-other-chromium", "other", 40)
    sources = project.sources()
    assert [test.title for test in sources.failures] == ["other"]
    assert {each.state for each in sources.by_file.values()} == {"expectation"}


def test_attempts_of_tests_that_passed_in_the_end_do_not_count(project: Project) -> None:
    project.expect("top", "one", "two")
    project.leave_run("failed", failed=1)
    project.fail("home-card-two-chromium", "card two", 7, ["two"])
    project.fail("home-card-one-chromium", "card one", 7, ["one"])
    project.fail("home-card-one-chromium-retry1", "card one", 7, ["one"])
    assert project.states() == {"top": "expectation", "one": "actual", "two": "expectation"}
    assert "retry1" in str(project.sources().by_file[f"home.spec.ts-snapshots/one{END}"].path)


def test_failures_that_left_nothing_need_a_report(project: Project) -> None:
    project.expect("top", "one")
    project.leave_run("failed", failed=2)
    project.fail("home-card-one-chromium", "card one", 7, ["one"])
    reason = project.refusal()
    assert "2 tests of the last run failed" in reason
    assert "--report" in reason
    project.leave_run("interrupted")
    assert "did not get to all its tests" in project.refusal()


def test_expectations_need_a_passed_run_or_a_change(project: Project) -> None:
    project.expect("top")
    assert project.states() == {"top": "file"}
    project.git("add", ".")
    project.git("commit", "-m", "One")
    assert "Nothing shows that tests rendered the 1 images" in project.refusal()
    project.leave_run("passed", time=4_000_000_000)
    assert project.states() == {"top": "expectation"}
    project.leave_run("passed", time=BEFORE - 1)
    assert "1970-01-12 13:46:39 UTC, but" in project.refusal()
    project.leave_run("passed", time=AFTER)
    assert project.states() == {"top": "expectation"}
    project.git("checkout", "--quiet", "-b", "other")
    assert "another commit was checked out at" in project.refusal()
    for text in ("", "[]", "{", '{"tests": 1}'):
        project.write("test-results/.last-run.json", text, AFTER)
        assert "cannot be read as the result" in project.refusal()


def test_snapshots_of_another_platform_are_left_out(project: Project) -> None:
    other = "darwin" if sys.platform == "linux" else "linux"
    project.write(f"{SNAPSHOTS}/top-chromium-{other}.png")
    project.leave_run("passed")
    assert "of another platform" in project.refusal()
    project.expect("top")
    assert sorted(each.state for each in project.sources().by_file.values()) == [
        "expectation",
        "left_out",
    ]


def result(status: str, project: Project, *images: str, **more: object) -> dict[str, Any]:
    attachments = [
        {"name": f"{image}-{kind}.png", "contentType": "image/png", "path": str(path)}
        for image in images
        for kind, path in (
            ("expected", project.folder / SNAPSHOTS / f"{image}{END}"),
            ("actual", project.write(f"test-results/{image}-actual.png", "new", AFTER)),
        )
    ]
    errors = [{"message": "\x1b[31mTimeoutError: late\x1b[0m\n  at x"}] * (status == "failed")
    return {"status": status, "errors": errors, "attachments": attachments, "retry": 0, **more}


def write_report(project: Project, name: str = "results.json", **tests: tuple[Any, ...]) -> None:
    """Write a JSON report; each test has its line, status and results."""
    specs = [
        {
            "title": title.replace("_", " "),
            "file": "home.spec.ts",
            "line": line,
            "tests": [{"projectName": "chromium", "status": status, "results": results}],
        }
        for title, (line, status, *results) in tests.items()
    ]
    report = {
        "config": {
            "configFile": str(project.folder / "playwright.config.ts"),
            "rootDir": str(project.folder / "tests"),
            "projects": [{"name": "chromium"}],
        },
        "suites": [{"title": "home.spec.ts", "file": "home.spec.ts", "specs": specs}],
        "errors": [],
    }
    project.write(name, json.dumps(report), AFTER)


def test_a_json_report_says_what_was_skipped_and_what_did_not_run(project: Project) -> None:
    project.expect("top", "bottom", "one", "two")
    project.write(f"tests/other.spec.ts-snapshots/home{END}")
    write_report(
        project,
        first=(2, "unexpected", result("failed", project, "bottom")),
        card_one=(7, "skipped"),
        card_two=(7, "flaky", result("failed", project, "two"), {"status": "passed", "retry": 1}),
    )
    assert project.states() == {
        "top": "failed",
        "bottom": "actual",
        "one": "taken_over",
        "two": "expectation",
        "home": "taken_over",
    }


def test_the_names_of_our_reporter_say_exactly_what_was_taken(project: Project) -> None:
    project.expect("top", "bottom", "one", "two")
    write_report(
        project,
        first=(2, "unexpected", result("failed", project, "bottom", screenshots=["top"])),
        card_one=(7, "expected", {"status": "passed", "retry": 0, "screenshots": ["one"]}),
    )
    assert project.states() == {
        "top": "expectation",
        "bottom": "actual",
        "one": "expectation",
        "two": "left_out",
    }


def test_results_that_contradict_the_images_are_refused(project: Project) -> None:
    project.expect("top", "bottom")
    write_report(
        project,
        first=(2, "unexpected", result("failed", project, "top")),
        second=(4, "unexpected", result("failed", project, "top")),
    )
    reason = project.refusal()
    assert reason.count("top-actual.png") == 2
    assert "first" in reason
    assert "second" in reason
    write_report(project, first=(2, "unexpected", result("failed", project, "top")))
    (project.folder / "test-results/top-actual.png").unlink()
    assert "which is not there: they are of another run" in project.refusal()
    outside = project.folder.parent / "outside.png"
    outside.write_text("new")
    failed = result("failed", project, "top")
    failed["attachments"][1]["path"] = str(outside)
    write_report(project, first=(2, "unexpected", failed))
    assert f"{outside}, which is not in {project.folder}" in project.refusal()


def test_unknown_and_damaged_reports_are_errors_with_their_names(
    project: Project, case: Case
) -> None:
    project.expect("top")
    for name, text, reason in (
        ("absent.json", None, "There is no report"),
        ("other.json", '{"a": 1}', "is no report of a run that is known"),
        ("cut.json", '{"config": {}, "suites": [{"title": "home', "cut.json, line 1"),
        ("cut.zip", "PK\x03\x04", "cut.zip is not a complete blob report"),
        ("jest.json", '{"numTotalTests": 3}', "jest.json is not a JSON report of Jest"),
    ):
        with case(name):
            if text is not None:
                project.write(name, text, AFTER)
            assert reason in project.refusal(name)


def write_blob(project: Project, *, ended: bool = True) -> None:
    titles = {"a": (2, "first"), "b": (7, "card one"), "c": (7, "card two")}
    entries = [
        {"testId": key, "title": title, "location": {"line": line}}
        for key, (line, title) in titles.items()
    ]
    suites = [{"title": "home.spec.ts", "entries": entries}]
    events: list[tuple[str, dict[str, Any]]] = [
        ("onConfigure", {"config": {"rootDir": str(project.folder / "tests")}}),
        ("onProject", {"project": {"name": "chromium", "suites": suites}}),
    ]
    image = {"name": "bottom-actual.png", "path": "resources/new.png"}
    for key, names in (("a", ("top", "bottom")), ("b", ("one",))):
        events.append(("onTestBegin", {"testId": key, "result": {"id": key, "retry": 0}}))
        for name in names:
            title = f'Expect "toHaveScreenshot({name}.png)"'
            step = {"id": name, "title": title, "category": "expect"}
            events.append(("onStepBegin", {"resultId": key, "step": step}))
            end = {"id": name} | ({"error": {"message": "no"}} if name == "bottom" else {})
            events.append(("onStepEnd", {"resultId": key, "step": end}))
        attachments = [image] if key == "a" else []
        events.append(("onAttach", {"resultId": key, "attachments": attachments}))
        done = {"id": key, "status": "failed" if key == "a" else "passed"}
        events.append(("onTestEnd", {"test": {"testId": key}, "result": done}))
    events += [("onEnd", {"result": {}})] if ended else []
    path = project.folder / "blob-report/report.zip"
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        lines = [json.dumps({"method": name, "params": value}) for name, value in events]
        archive.writestr("report.jsonl", "\n".join(lines))
        archive.writestr("resources/new.png", "new")


def test_a_blob_report_has_every_screenshot_that_was_taken(project: Project) -> None:
    project.expect("top", "bottom", "one", "two", "other")
    write_blob(project)
    # The last test did not run; the test of "other" may be in another shard.
    assert project.states() == {
        "top": "expectation",
        "bottom": "actual",
        "one": "expectation",
        "two": "taken_over",
        "other": "taken_over",
    }
    source = project.sources().by_file[f"home.spec.ts-snapshots/bottom{END}"]
    assert source.path is not None
    assert source.path.read_text() == "new"
    write_blob(project, ended=False)
    assert "its last event is missing" in project.refusal()


def test_what_other_tools_leave_is_found(tmp_path: Path, case: Case) -> None:
    end = f"-chromium-{sys.platform}.png"
    for number, (image, left, state) in enumerate(
        (
            (
                f"src/__screenshots__/button.test.ts/primary{end}",
                f".vitest-attachments/src/button.test.ts/primary-actual{end}",
                "actual",
            ),
            (
                "src/__image_snapshots__/home-1-snap.png",
                "src/__image_snapshots__/__received_output__/home-1-snap-received.png",
                "actual",
            ),
            (
                "src/__image_snapshots__/home-1-snap.png",
                "src/__image_snapshots__/__diff_output__/home-1-diff.png",
                "failed",
            ),
            (
                "src/cypress/snapshots/home.cy.ts/top.snap.png",
                "src/cypress/snapshots/home.cy.ts/__received_output__/top.png",
                "actual",
            ),
            ("src/.loki/reference/chrome_A.png", "src/.loki/current/chrome_A.png", "actual"),
            ("src/.loki/reference/chrome_A.png", "src/.loki/current/chrome_B.png", "taken_over"),
        )
    ):
        with case(left):
            project = Project(tmp_path / str(number))
            project.write(image)
            project.write(left, time=AFTER)
            found = project.sources(folder="src").by_file
            assert {name: each.state for name, each in found.items()} == {image[4:]: state}


def test_a_report_of_vitest_says_which_tests_failed(tmp_path: Path) -> None:
    end = f"-chromium-{sys.platform}.png"
    project = Project(tmp_path)
    for name in ("primary-1", "danger-1", "plain-1"):
        project.write(f"src/__screenshots__/button.test.ts/{name}{end}")
    project.write(f".vitest-attachments/src/button.test.ts/primary-1-actual{end}", time=AFTER)
    reason = project.refusal(folder="src")
    assert "nothing says that the tests of the other 2 passed" in reason
    statuses = {"primary": "failed", "danger": "failed", "plain": "passed"}
    tests = [
        {"title": title, "status": status, "failureMessages": ["Error: no\n at"]}
        for title, status in statuses.items()
    ]
    file = {"name": str(tmp_path / "src/button.test.ts"), "assertionResults": tests}
    report = {"numTotalTests": 3, "testResults": [file]}
    project.write("results.json", json.dumps(report), AFTER)
    found = project.sources(folder="src").by_file
    assert {Path(name).name.removesuffix(end): each.state for name, each in found.items()} == {
        "primary-1": "actual",
        "danger-1": "failed",
        "plain-1": "expectation",
    }


def test_what_vitest_says_of_its_images_is_used(tmp_path: Path) -> None:
    end = f"-chromium-{sys.platform}.png"
    project = Project(tmp_path)
    folder = tmp_path / "src/__screenshots__/button.test.ts"
    for name in (f"first{end}", f"second{end}", f"third{end}", "group-button-one-1.png"):
        project.write(f"src/__screenshots__/button.test.ts/{name}")
    actual = project.write(f".vitest-attachments/src/button.test.ts/x-actual{end}", time=AFTER)
    differs = f"Error: no\n\nReference screenshot:\n  \x1b[32m{folder}/first{end}\x1b[39m\n\n"
    written = f"No existing reference screenshot found; a new one was created.\n{differs}"
    tests = [
        {
            "title": title,
            "ancestorTitles": ["group"],
            "status": "failed" if message else "passed",
            "failureMessages": [message] if message else [],
        }
        for title, message in (
            ("button one", f"{differs}Actual screenshot:\n  \x1b[31m{actual}\x1b[39m\n"),
            ("button two", written.replace("first", "second")),
            ("button three", ""),
        )
    ]
    file = {"name": str(tmp_path / "src/button.test.ts"), "assertionResults": tests}
    report = {"numTotalTests": 3, "testResults": [file]}
    project.write("results.json", json.dumps(report), AFTER)
    sources = project.sources(folder="src")
    found = {Path(name).name.removesuffix(end): each for name, each in sources.by_file.items()}
    assert {name: each.state for name, each in found.items()} == {
        "first": "actual",
        "second": "actual",
        "third": "expectation",
        "group-button-one-1.png": "left_out",
    }
    assert found["first"].path == actual
    assert sources.failures == []


def test_new_images_of_an_earlier_run_do_not_count(tmp_path: Path) -> None:
    end = f"-chromium-{sys.platform}.png"
    project = Project(tmp_path)
    project.write(f"src/__screenshots__/button.test.ts/first{end}")
    left = f".vitest-attachments/src/button.test.ts/first-actual{end}"
    project.write(left, time=BEFORE + 1)
    sources = project.sources(folder="src")
    assert "delete the new images before each run" in sources.notes[0]
    test = {"title": "first", "status": "passed"}
    file = {"name": str(tmp_path / "src/button.test.ts"), "assertionResults": [test]}
    report = {"numTotalTests": 1, "startTime": (BEFORE + 2) * 1000, "testResults": [file]}
    project.write("results.json", json.dumps(report), AFTER)
    (source,) = project.sources(folder="src").by_file.values()
    assert source.state == "expectation"


def test_an_image_next_to_expectations_does_not_hide_them(project: Project) -> None:
    project.expect("top")
    project.write("tests/fixtures/photo.png")
    project.git("add", ".")
    project.git("commit", "-m", "One")
    assert "Nothing shows that tests rendered the 1 images" in project.refusal()
    write_report(project, first=(2, "expected", result("passed", project)))
    # The photo may be a screenshot of something else, unless a report lists all images.
    assert project.states() == {"top": "expectation"}
    assert project.states("results.json") == {"top": "expectation", "photo.png": "left_out"}


def test_projects_may_be_folders(project: Project) -> None:
    for name in ("chromium", "firefox"):
        project.write(f"tests/__screenshots__/{name}/home.spec.ts/top.png")
    write_report(
        project, first=(2, "expected", {"status": "passed", "retry": 0, "screenshots": ["top"]})
    )
    found = project.sources().by_file
    assert {name.split("/")[1]: each.state for name, each in found.items()} == {
        "chromium": "expectation",
        "firefox": "taken_over",
    }


def test_expectations_may_be_where_a_configuration_puts_them(project: Project) -> None:
    for name in ("top", "bottom"):
        project.write(f"tests/snapshots/{name}.png", name)
        project.write(f"tests/{name}/__snapshots__/home.spec.ts/{name}.png", name)
    failed = result("failed", project, "bottom")
    failed["attachments"][0]["path"] = str(project.folder / "tests/snapshots/bottom.png")
    write_report(project, first=(2, "unexpected", failed))
    found = project.sources().by_file
    assert found["snapshots/bottom.png"].state == "actual"
    # The image's test failed, and the report does not say whether the other one was taken before.
    assert found["snapshots/top.png"].state == "failed"
    assert found["top/__snapshots__/home.spec.ts/top.png"].state == "failed"
    write_report(
        project, first=(2, "expected", {"status": "passed", "retry": 0, "screenshots": ["top"]})
    )
    found = project.sources("results.json").by_file
    assert found["snapshots/top.png"].state == "expectation"
    assert found["snapshots/bottom.png"].state == "left_out"


def test_a_report_of_other_tests_says_nothing_about_these(project: Project) -> None:
    project.expect("top")
    project.git("add", ".")
    project.git("commit", "-m", "One")
    unit_tests = {"numTotalTests": 1, "testResults": []}
    project.write("results.json", json.dumps(unit_tests), AFTER)
    assert "there are no results of a run" in project.refusal()


def test_what_tools_captured_themselves_is_never_refused(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("__screenshots__/Components/Button.png")
    project.leave_run("failed", failed=1)
    assert project.sources(folder=".").by_file == {}


def test_results_lead_to_the_expectations(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder)
    project.leave_run("failed", failed=1)
    with pytest.raises(InputError, match="there are no expectations"):
        choose_folder(Path("test-results"))
    project.expect("top")
    assert choose_folder(Path("test-results")) == Path("tests")
    assert choose_folder(Path("tests")) == Path("tests")
    project.write("playwright.config.ts", "export default { testDir: './' };")
    assert choose_folder(Path("test-results")) == Path()
