"""The npm package: its fixture, its reporter, and its command, with the real runner and server."""

import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
from scripts.demo_server import PROGRAM, DemoServer
from scripts.setup_tools import find_node

from tests.support.ci.job import CiJob, connect_repository
from tests.support.playwright_project import PlaywrightProject, create_project
from tests.support.servers.service import CHECKOUT

REPORTER = "line,visual-review/reporter"
OWN = 5
ALL = 20 + OWN


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> PlaywrightProject:
    return create_project(tmp_path_factory.mktemp("reporter") / "project")


@pytest.fixture(scope="module")
def job(server: DemoServer, project: PlaywrightProject) -> CiJob:
    """A repository whose baseline are the screenshots of the first run."""
    connected = connect_repository(server, project.folder)
    done = run(project, connected, "--update-snapshots")
    assert done.returncode == 0, done.stdout + done.stderr
    assert counts(connected) == {"new": ALL}
    project.commit("Add expectations")
    connected.approve_newest()
    return connected


def environment(job: CiJob) -> dict[str, str]:
    server = {"VISUAL_REVIEW_URL": job.server.url, "UI_REVIEW_TOKEN": job.token}
    return {**server, "VISUAL_REVIEW_CLIENT": str(PROGRAM)}


def counts(job: CiJob) -> dict[str, int]:
    """Return the numbers of the newest build by state, and the number of inherited screenshots."""
    found: dict[str, int] = {}
    for shot in job.server.act("get_build", buildId=job.builds()[0]["id"])["build"]["screenshots"]:
        found[shot["diffState"]] = found.get(shot["diffState"], 0) + 1
        found["inherited"] = found.get("inherited", 0) + shot["inherited"]
    return {name: number for name, number in found.items() if number}


def run(
    project: PlaywrightProject, job: CiJob, *flags: str, reporter: str = REPORTER
) -> "subprocess.CompletedProcess[str]":
    return project.run(
        "playwright", "test", "--workers=2", *flags, reporter=reporter, **environment(job)
    )


def test_a_run_is_published_once_and_a_changed_style_changes_exactly_its_screenshots(
    project: PlaywrightProject, job: CiJob
) -> None:
    # Only pages with a notice have this color.
    project.edit("site/styles.css", "#b3261e", "#146c2e")
    done = run(project, job)
    assert done.returncode == 1
    assert len(job.builds()) == 2
    assert counts(job) == {"changed": 2, "unchanged": ALL - 2}
    assert f"Review: {job.server.url}/builds/" in done.stdout
    project.edit("site/styles.css", "#146c2e", "#b3261e")

    # A part of the tests: screenshots of the other tests are taken over.
    done = run(project, job, "--grep=button")
    assert done.returncode == 0, done.stdout + done.stderr
    # Variants without any of these tests are not part of the build.
    assert counts(job) == {"unchanged": ALL - 3, "inherited": ALL - 4}


@pytest.mark.deep
def test_retries_shards_and_a_merged_report_give_one_build(
    project: PlaywrightProject, job: CiJob
) -> None:
    before = len(job.builds())
    shutil.rmtree(project.folder / "all-blobs", ignore_errors=True)
    for shard in ("1/2", "2/2"):
        done = run(project, job, f"--shard={shard}", reporter=f"blob,{REPORTER.split(',')[1]}")
        assert f"This is shard {shard[0]} of 2" in done.stderr
        shutil.copytree(
            project.folder / "blob-report", project.folder / "all-blobs", dirs_exist_ok=True
        )
    assert len(job.builds()) == before
    done = project.run(
        "playwright", "merge-reports", "all-blobs", reporter=REPORTER, **environment(job)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(job.builds()) == before + 1
    assert counts(job) == {"unchanged": ALL}


@pytest.mark.deep
def test_a_page_that_never_comes_to_rest_and_one_that_is_closed_fail_no_test(
    project: PlaywrightProject, job: CiJob
) -> None:
    project.write(
        "tests/restless.spec.ts",
        'import { test, visualReview } from "visual-review";\n'
        'test("restless", async ({ page }) => {\n'
        '  await page.setContent("<p>0</p>");\n'
        "  await page.evaluate(() => { let n = 0; setInterval(() => {"
        ' document.querySelector("p")!.textContent = String(n++); }, 1); });\n'
        '  await visualReview(page, "clock", { timeout: 700 });\n'
        "  await page.close();\n"
        '  await visualReview(page, "closed");\n'
        "});\n",
    )
    done = run(project, job, "restless")
    (project.folder / "tests/restless.spec.ts").unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    build = job.builds()[0]["id"]
    shots = job.server.act("get_build", buildId=build)["build"]["screenshots"]
    found = {shot["storyId"]: shot for shot in shots if shot["storyId"].startswith("restless")}
    assert found["restless--clock--chromium"]["diffState"] == "new"
    assert "The page was still changing when the image was taken" in done.stdout
    assert found["restless--closed--chromium"]["diffState"] == "failed"
    assert "closed" in str(found["restless--closed--chromium"])


def test_two_screenshots_of_one_name_are_refused_with_both_tests(
    project: PlaywrightProject, job: CiJob
) -> None:
    built = len(job.builds())
    test = 'test("%s", async ({ page }) => { await visualReview(page, "same"); });\n'
    project.write(
        "tests/same.spec.ts",
        f'import {{ test, visualReview }} from "visual-review";\n{test % "one"}{test % "two"}',
    )
    done = run(project, job, "same")
    (project.folder / "tests/same.spec.ts").unlink()
    assert done.returncode == 1
    assert "Two screenshots have the story same--same--chromium" in done.stderr
    assert "same.spec.ts:2 one" in done.stderr
    assert "same.spec.ts:3 two" in done.stderr
    assert len(job.builds()) == built


@pytest.mark.deep
def test_two_screenshots_of_one_test_never_replace_each_other(
    project: PlaywrightProject, job: CiJob
) -> None:
    project.write(
        "tests/alike.spec.ts",
        'import { expect, test, visualReview } from "visual-review";\n'
        'test.use({ colorScheme: "dark" });\n'
        'test("alike", async ({ page }) => {\n'
        '  await page.setContent("<p>one</p>");\n'
        '  await visualReview(page, "a b", { theme: "light" });\n'
        '  expect(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches))'
        ".toBe(true);\n"
        '  await page.setContent("<p>two words</p>");\n'
        '  await visualReview(page, "a-b", { theme: "light" });\n'
        "});\n",
    )
    done = run(project, job, "alike")
    (project.folder / "tests/alike.spec.ts").unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    shots = job.server.act("get_build", buildId=job.builds()[0]["id"])["build"]["screenshots"]
    images = {shot["storyId"]: shot["afterUrl"] for shot in shots if "alike" in shot["storyId"]}
    assert list(images) == ["alike--a b--chromium", "alike--a-b--chromium"]
    one, two = (httpx.get(url).content for url in images.values())
    assert one != two


def test_a_reporter_without_a_server_says_what_to_set(project: PlaywrightProject) -> None:
    for ci, code in (("", 0), ("true", 1)):
        done = project.run("playwright", "test", "--grep=button", reporter=REPORTER, CI=ci)
        assert done.returncode == code
        assert "set VISUAL_REVIEW_URL and UI_REVIEW_TOKEN" in done.stderr


@pytest.mark.deep
def test_the_html_report_links_the_build(project: PlaywrightProject, job: CiJob) -> None:
    reporter = f"{REPORTER},json=outputFile:results.json"
    assert run(project, job, "--grep=button", reporter=reporter).returncode == 0
    report = (project.folder / "results.json").read_text(encoding="utf-8")
    # The HTML report shows the same annotations.
    assert f"{job.server.url}/builds/" in report


def test_the_command_has_the_arguments_and_exit_codes_of_the_client(
    project: PlaywrightProject, job: CiJob
) -> None:
    done = project.run("visual-review", "--version", **environment(job))
    assert (done.returncode, done.stdout.startswith("visual-review 0.")) == (0, True), done.stderr
    done = project.run("visual-review", "publish", "absent", **environment(job))
    assert done.returncode == 2
    assert "There is no folder absent" in done.stderr


def test_problems_of_the_command_are_explained(project: PlaywrightProject, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "node").symlink_to(find_node() / "node")
    own = {"PATH": f"{programs}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path)}
    for environment_, expected in (
        ({"VISUAL_REVIEW_CLIENT": "/absent"}, "names /absent, which is not there"),
        ({}, "VISUAL_REVIEW_URL is not set"),
        ({"VISUAL_REVIEW_URL": "http://127.0.0.1:9"}, "cannot be reached to install the client"),
    ):
        done = project.run("visual-review", "--version", **{**own, **environment_})
        assert done.returncode == 2, done.stdout
        assert expected in done.stderr


@pytest.mark.deep
def test_the_client_of_the_server_is_installed_once(
    project: PlaywrightProject, job: CiJob, tmp_path: Path
) -> None:
    own = {"VISUAL_REVIEW_URL": job.server.url, "XDG_CACHE_HOME": str(tmp_path)}
    first = project.run("visual-review", "--version", **own)
    assert first.returncode == 0, first.stderr
    assert "Installing the client from" in first.stderr
    assert "+g" in first.stdout
    second = project.run("visual-review", "--version", **own)
    assert (second.returncode, second.stderr) == (0, "")


@pytest.mark.deep
def test_the_guide_leads_from_nothing_to_a_reviewed_change(
    server: DemoServer, tmp_path: Path
) -> None:
    project = create_project(tmp_path / "project", without=("visual-review",))
    job = connect_repository(server, project.folder)
    guide = (CHECKOUT / "docs/how-to/playwright.md").read_text(encoding="utf-8")
    install, run_tests, *_ = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    (reporter,) = re.findall(r"```ts\nreporter: (.*),\n```", guide)
    project.shell(fill_in(install, job))
    config = (project.folder / "playwright.config.ts").read_text(encoding="utf-8")
    project.write(
        "playwright.config.ts", re.sub(r"reporter: .*,", f"reporter: {reporter},", config)
    )
    project.configure_browser()
    # Playwright fails a test whose expectations were only just written.
    assert project.shell(fill_in(run_tests, job), fails=True)
    assert counts(job) == {"new": ALL}
    job.approve_newest()
    project.commit("Add expectations")
    project.shell(fill_in(run_tests, job))
    assert counts(job) == {"unchanged": ALL}
    project.edit("site/styles.css", "margin: 24px", "margin: 40px")
    project.shell(fill_in(run_tests, job), fails=True)
    assert counts(job)["changed"] >= 20


def fill_in(commands: str, job: CiJob) -> str:
    """Return the printed commands for the test's server, with the client of the checkout."""
    own = commands.replace("https://review.example.org", job.server.url)
    return f"export VISUAL_REVIEW_CLIENT={PROGRAM}\n" + own.replace("vr_ci_0123456789", job.token)
