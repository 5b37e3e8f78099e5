"""Publishing a Storybook: what stories do wrong is part of the build."""

from pathlib import Path

from tests.journeys.publish.ci_job import CiJob, storybook
from tests.servers.service import wait_until
from visual_review.client.publishing import Service


def detection_armed(job: CiJob) -> bool:
    with Service(job.server.url, job.token, on_retry=lambda *_: None) as service:
        return service.plan({"branch": "main"}).detection_armed


def test_a_storybook_is_published_in_six_variants_with_what_its_stories_do_wrong(
    job: CiJob, tmp_path: Path
) -> None:
    told = job.told(storybook(tmp_path / "storybook"))
    assert told["verdict"] == "review_needed"
    assert told["build"]["counts"]["new"] == 18
    assert told["failedCaptures"] == told["build"]["counts"]["failed"] == 6
    failed = [item for item in told["build"]["toReview"] if item["diffState"] == "failed"]
    assert {item["storyId"] for item in failed} == {"bad--throws"}
    assert all("threw" in item["message"] for item in failed)


def test_a_fixed_matrix_is_captured_alone_once_all_six_were_measured(
    job: CiJob, tmp_path: Path
) -> None:
    folder = storybook(tmp_path / "storybook")
    job.server.act("set_repo_capture", repoId=job.repository, themes=["dark"], devices=["phone"])
    first = job.told(folder)
    assert first["matrix"] == {"themes": ["dark"], "devices": ["phone"]}
    assert first["screenshots"] == 24
    assert first["build"]["counts"]["new"] == 3
    wait_until("detection has ended", lambda: not detection_armed(job))
    assert job.told(folder)["screenshots"] == 4


def test_what_cannot_be_told_apart_is_captured_in_full(job: CiJob, tmp_path: Path) -> None:
    done = job.publish(storybook(tmp_path / "storybook"), "--partial")
    assert done.returncode == 1
    assert "Everything is captured: " in done.stdout
    assert "preview-stats.json" in done.stdout
