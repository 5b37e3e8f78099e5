"""Publishing a Storybook: failures and findings of the capture are part of the build."""

import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from benchmarks.availability import sign_in
from scripts.demo_server import DemoServer

from tests.support.ci.job import CiJob, CommandResult, connect_repository, storybook
from tests.support.servers.service import wait_until
from visual_review.client.capture import ALL_VARIANTS
from visual_review.client.publishing import Service


def detection_armed(job: CiJob) -> bool:
    with Service(job.server.url, job.token, on_retry=lambda *_: None) as service:
        return service.plan({"branch": "main"}).detection_armed


def test_a_storybook_is_published_in_six_variants_with_its_failures(
    job: CiJob, tmp_path: Path
) -> None:
    document = job.publish_json(storybook(tmp_path / "storybook"))
    assert document["verdict"] == "review_needed"
    assert document["build"]["counts"]["new"] == 18
    assert document["failedCaptures"] == document["build"]["counts"]["failed"] == 6
    failed = [item for item in document["build"]["toReview"] if item["diffState"] == "failed"]
    assert {item["storyId"] for item in failed} == {"bad--throws"}
    assert all("threw" in item["message"] for item in failed)


def test_only_a_fixed_matrix_is_captured_after_detection(job: CiJob, tmp_path: Path) -> None:
    folder = storybook(tmp_path / "storybook", "calm--first", "bad--throws")
    job.server.act("set_repo_capture", repoId=job.repository, themes=["dark"], devices=["phone"])
    first = job.publish_json(folder)
    assert first["matrix"] == {"themes": ["dark"], "devices": ["phone"]}
    assert first["screenshots"] == 12
    assert first["build"]["counts"]["new"] == 1
    wait_until("detection has ended", lambda: not detection_armed(job))
    assert job.publish_json(folder)["screenshots"] == 2


def test_the_owner_of_a_story_is_asked_by_the_file_of_the_default_branch(
    job: CiJob, tmp_path: Path
) -> None:
    root = tmp_path / "repository"
    folder = storybook(root / "storybook", "calm--first")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    job.server.act("set_repo_capture", repoId=job.repository, themes=["dark"], devices=["phone"])
    job.publish(folder, "--project-root", str(root))
    build = job.builds()[0]["id"]

    def reviewers(build: str) -> list[str]:
        # An unknown name asks no one.
        found = job.server.act("request_review", buildId=build, reviewers=["no one"])
        return list(found["reviewers"])

    assert reviewers(build) == []
    (root / "CODEOWNERS").write_text(f"*.js {job.server.email}\n", encoding="utf-8")
    job.publish(folder, "--project-root", str(root))
    asked = job.builds()[0]["id"]
    wait_until("the owner is asked", lambda: len(reviewers(asked)) == 1)


@dataclass(frozen=True)
class CaptureRun:
    """A Storybook published with ``--partial``, and the folder for temporary files."""

    result: CommandResult
    temporary_folder: Path


@pytest.fixture(scope="module")
def partial_run(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> CaptureRun:
    folder = tmp_path_factory.mktemp("partial")
    temporary = folder / "temporary"
    temporary.mkdir()
    job = connect_repository(server, folder)
    with patch("tempfile.tempdir", str(temporary)):
        result = job.publish(
            storybook(folder / "storybook", "calm--first"), "--partial", "--profile"
        )
    return CaptureRun(result, temporary)


def test_a_storybook_without_a_stats_file_is_captured_in_full(partial_run: CaptureRun) -> None:
    assert partial_run.result.returncode == 1
    assert "Capturing all stories: " in partial_run.result.stdout
    assert "preview-stats.json" in partial_run.result.stdout


def test_the_profile_has_each_screenshot_after_the_sum_of_all(partial_run: CaptureRun) -> None:
    head, total, *stories = partial_run.result.stderr.splitlines()
    assert head.split()[:2] == ["total", "load"]
    assert total.endswith("  all stories")
    names = {line.split("  ")[-1] for line in stories}
    assert names == {f"calm--first {variant}" for variant in ALL_VARIANTS}
    # The time for packing the PNGs again before the upload is included.
    seconds = dict(zip(head.split(), total.split(), strict=False))
    assert float(seconds["encode"]) > 0


def test_the_temporary_folder_is_left_clean(partial_run: CaptureRun) -> None:
    assert list(partial_run.temporary_folder.glob("visual-review-*")) == []


@pytest.mark.deep
def test_reviewers_see_notes_and_why_a_published_story_is_unstable(
    job: CiJob, tmp_path: Path
) -> None:
    job.server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["phone"])
    folder = storybook(tmp_path / "storybook", "restless--locks", "calm--first", "outside--image")
    build = job.publish_json(folder)["build"]["id"]
    server = job.server
    with closing(sign_in(server.url, server.email, server.password)) as browser:
        index = browser.get(f"/builds/{build}/review.json").json()
        flags = {index["stories"][row[1]][0]: row[12] & (8 | 64) for row in index["screenshots"]}
        assert flags == {"restless--locks": 8, "calm--first": 0, "outside--image": 64}
        ids = {index["stories"][row[1]][0]: row[0] for row in index["screenshots"]}
        chosen = ",".join((ids["restless--locks"], ids["calm--first"]))
        details = browser.get(f"/builds/{build}/screenshots.json?ids={chosen}").json()
        restless, calm = (each["flakiness"] for each in details["screenshots"])
        assert (restless, calm) == ({"captures": 1, "unstable": 1, "varied": 0}, None)
