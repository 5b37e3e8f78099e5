"""``visual-review publish`` of a Playwright project, after real runs of its tests."""

import shutil
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer

from tests.support.ci.job import CiJob, connect_repository
from tests.support.playwright_project import PlaywrightProject, create_project

ACCENT = ("site/styles.css", "#0b57d0", "#137333")
JSON_REPORT = "json=outputFile:results.json"
GOTO = "    await page.goto(urlOf(name));\n"
CLICK = '    if (name === "tides") await page.click("#missing", { timeout: 200 });\n'
THROWS = ("tests/pages.spec.ts", GOTO, GOTO + CLICK)
TIMEOUT = "the test failed before its screenshot: TimeoutError: page.click: Timeout 200ms exceeded."


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose 20 expectations are committed."""
    project = create_project(tmp_path_factory.mktemp("playwright") / "project")
    assert project.test("--update-snapshots") == 0
    shutil.rmtree(project.folder / "test-results")
    project.commit("Add expectations")
    return project.folder


@pytest.fixture(scope="module")
def approved(server: DemoServer, committed: Path) -> CiJob:
    """A repository whose baseline are the 20 expectations."""
    job = connect_repository(server, committed)
    document = job.publish_json(committed / "tests", "--as-is")
    assert document["build"]["counts"]["new"] == 20
    job.approve_newest()
    return job


@pytest.fixture
def project(committed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlaywrightProject:
    folder = tmp_path / "project"
    shutil.copytree(committed, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return PlaywrightProject(folder)


def counts(job: CiJob, folder: str = "tests") -> tuple[int, int, int]:
    """Publish; return how many screenshots changed, failed and were taken over."""
    found = job.publish_json(Path(folder))["build"]["counts"]
    return found["changed"], found["failed"], found["inherited"]


def test_all_twenty_change_and_publishing_the_results_gives_the_same(
    project: PlaywrightProject, approved: CiJob
) -> None:
    project.edit("site/styles.css", "margin: 24px", "margin: 40px")
    assert project.test() == 1
    assert approved.publish(project.folder / "tests").returncode == 1
    first = approved.publish_json(project.folder / "tests")
    assert first["build"]["counts"]["changed"] == 20
    second = approved.publish_json(project.folder / "test-results")
    stories = [[e["storyId"] for e in each["build"]["toReview"]] for each in (first, second)]
    assert stories[0] == stories[1]


def test_after_a_passed_run_the_expectations_are_what_was_rendered(
    project: PlaywrightProject, approved: CiJob
) -> None:
    assert project.test() == 0
    done = approved.publish(project.folder / "tests")
    assert done.returncode == 0, done.stderr
    assert "20 screenshots taken from expectations of a passed run" in done.stdout
    build = approved.builds()[0]
    assert build["reviewState"] == "not_required"


@pytest.mark.parametrize(
    "reporter",
    [
        "line",
        pytest.param(JSON_REPORT, marks=pytest.mark.deep),
        pytest.param("blob", marks=pytest.mark.deep),
    ],
)
def test_a_test_that_throws_before_its_screenshot_is_published_as_failed(
    project: PlaywrightProject, approved: CiJob, reporter: str
) -> None:
    project.edit(*THROWS)
    assert project.test(reporter=reporter) == 1
    document = approved.publish_json(project.folder / "tests")
    assert document["verdict"] == "review_needed"
    failed = [e for e in document["build"]["toReview"] if e["diffState"] == "failed"]
    assert [(e["storyId"], e["message"]) for e in failed] == [
        ("pages--tides--chromium-linux", TIMEOUT)
    ]
    assert document["build"]["counts"]["failed"] == 1


@pytest.mark.deep
def test_the_last_attempt_counts(project: PlaywrightProject, approved: CiJob) -> None:
    project.edit(
        "tests/pages.spec.ts",
        "async ({ page }) => {\n",
        "async ({ page }, { retry }) => {\n"
        '    if (retry === 0) await page.addInitScript("document.title = String(1)");\n'
        '    if (name === "tides" && retry === 0) await page.emulateMedia({ media: "print" });\n',
    )
    project.edit("site/styles.css", ".notice", "@media print { h1 { color: red; } }\n.notice")
    assert project.test("--retries=1") == 0
    assert list(project.folder.glob("test-results/*tides*/*-actual.png"))
    assert counts(approved) == (0, 0, 0)


@pytest.mark.deep
def test_skipped_tests_and_tests_that_did_not_run_are_taken_over(
    project: PlaywrightProject, approved: CiJob
) -> None:
    project.edit(
        "tests/pages.spec.ts",
        "    await page.goto(urlOf(name));\n",
        '    test.skip(name === "tides");\n    await page.goto(urlOf(name));\n',
    )
    assert project.test(reporter=JSON_REPORT) == 0
    assert counts(approved) == (0, 0, 1)
    assert project.test("--grep=weather", reporter=JSON_REPORT) == 0
    assert counts(approved) == (0, 0, 19)


@pytest.mark.deep
def test_results_of_another_state_are_refused(project: PlaywrightProject, approved: CiJob) -> None:
    built = len(approved.builds())
    done = approved.publish(project.folder / "tests")
    assert done.returncode == 2
    assert "git has them unchanged, and there are no results of a run" in done.stderr
    assert "--update-snapshots" in done.stderr
    assert project.test() == 0
    project.edit(*ACCENT)
    project.git("checkout", "--quiet", "-b", "other", "HEAD~1")
    project.git("checkout", "--quiet", "main")
    done = approved.publish(project.folder / "tests")
    assert done.returncode == 2
    assert "results are older than the images" in done.stderr or (
        "another commit was checked out" in done.stderr
    )
    assert len(approved.builds()) == built


@pytest.mark.deep
def test_a_run_that_could_not_load_its_tests_is_refused(
    project: PlaywrightProject, approved: CiJob
) -> None:
    project.write("tests/pages-broken.spec.ts", "this is no source")
    project.test(reporter=JSON_REPORT)
    done = approved.publish(project.folder / "tests")
    assert done.returncode == 2
    assert "did not get to all its tests" in done.stderr


def test_a_truncated_report_is_refused(project: PlaywrightProject, approved: CiJob) -> None:
    assert project.test(reporter=JSON_REPORT) == 0
    report = project.folder / "results.json"
    report.write_bytes(report.read_bytes()[:-200])
    done = approved.publish(project.folder / "tests")
    assert done.returncode == 2
    assert "results.json, line" in done.stderr
    assert approved.publish(project.folder / "tests", "--report", "absent.json").returncode == 2
