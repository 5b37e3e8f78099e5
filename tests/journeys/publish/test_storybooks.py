"""Publishing a Storybook: what stories do wrong is part of the build."""

from pathlib import Path

from tests.journeys.publish.ci_job import CiJob, storybook


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


def test_a_fixed_matrix_captures_no_more(job: CiJob, tmp_path: Path) -> None:
    folder = storybook(tmp_path / "storybook")
    assert job.told(folder, "--no-wait")["screenshots"] == 24
    job.server.act("set_repo_capture", repoId=job.repository, themes=["dark"], devices=["phone"])
    told = job.told(folder)
    assert told["matrix"] == {"themes": ["dark"], "devices": ["phone"]}
    assert told["screenshots"] == 4


def test_what_cannot_be_told_apart_is_captured_in_full(job: CiJob, tmp_path: Path) -> None:
    done = job.publish(storybook(tmp_path / "storybook"), "--partial")
    assert done.returncode == 1
    assert "Everything is captured: " in done.stdout
    assert "preview-stats.json" in done.stdout
