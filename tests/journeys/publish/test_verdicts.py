"""From a folder of images to a verdict, against a real server, as CI sees it."""

import shutil
from pathlib import Path

from tests.journeys.publish.ci_job import CiJob, paint


def test_a_first_build_needs_review_and_the_same_again_does_not(job: CiJob, images: Path) -> None:
    first = job.publish(images)
    assert first.returncode == 1, first.stderr
    assert "0 failed, 0 changed, 3 new, 0 removed, 0 unchanged" in first.stdout
    assert "Uploading images: 3" in first.stdout
    assert job.builds()[0]["url"] in first.stdout
    assert "\x1b" not in first.stdout
    job.approve_newest()
    again = job.publish(images)
    assert again.returncode == 0
    assert "nothing to review" in again.stdout
    assert "Uploading" not in again.stdout


def test_a_change_is_listed_and_a_way_back_to_zero_is_offered(job: CiJob, images: Path) -> None:
    job.publish(images)
    job.approve_newest()
    paint(images, "button--primary--dark-desktop", 90)
    changed = job.publish(images)
    assert changed.returncode == 1
    assert "changed  button--primary  dark-desktop" in changed.stdout
    assert "card--plain" not in changed.stdout
    assert job.publish(images, "--exit-zero-on-changes").returncode == 0


def test_a_pull_request_is_compared_with_its_target(job: CiJob, images: Path) -> None:
    job.publish(images)
    job.approve_newest()
    paint(images, "card--plain--light-desktop", 200)
    flags = ("--branch", "feature/x", "--pull-request", "12", "--base-branch", "main")
    told = job.told(images, *flags)
    assert told["verdict"] == "review_needed"
    assert told["baselineRule"] == "target_branch"
    assert [item["storyId"] for item in told["build"]["toReview"]] == ["card--plain"]
    assert job.builds()[0]["pullRequest"] == 12


def test_what_was_approved_once_is_carried_over(job: CiJob, images: Path) -> None:
    job.publish(images)
    job.approve_newest()
    paint(images, "card--plain--light-desktop", 200)
    flags = ("--branch", "feature/x", "--pull-request", "12", "--base-branch", "main")
    assert job.publish(images, *flags).returncode == 1
    job.approve_newest()
    again = job.publish(images, *flags)
    assert again.returncode == 0
    assert "every change was approved before" in again.stdout


def test_a_rejected_build_asks_for_review_when_it_is_published_again(
    job: CiJob, images: Path
) -> None:
    flags = ("--nonce", "run-1")
    job.publish(images, *flags)
    job.server.act("reject_build", buildId=job.builds()[0]["id"])
    again = job.publish(images, *flags)
    assert again.returncode == 1
    assert "rejected" in again.stdout


def test_a_partial_folder_removes_nothing(job: CiJob, images: Path) -> None:
    job.publish(images)
    job.approve_newest()
    (images / "card--plain--light-desktop.png").unlink()
    partial = job.told(images, "--partial")
    assert partial["verdict"] == "nothing_to_review"
    assert partial["build"]["counts"]["unchanged"] == 3
    full = job.told(images)
    assert full["verdict"] == "review_needed"
    assert full["build"]["counts"]["removed"] == 1


def test_a_skipped_product_inherits_everything(job: CiJob, images: Path, tmp_path: Path) -> None:
    job.publish(images)
    job.approve_newest()
    skipped = job.told(tmp_path / "not built", "--skip")
    assert skipped["verdict"] == "nothing_to_review"
    assert skipped["screenshots"] == 0
    assert skipped["build"]["counts"]["unchanged"] == 3


def test_products_of_one_run_are_builds_of_their_own(job: CiJob, images: Path) -> None:
    for product in ("web", "mobile"):
        assert job.publish(images, "--product", product, "--nonce", "run-1").returncode == 1
    assert {build["productKey"] for build in job.builds()} == {"web", "mobile"}


def test_shards_make_one_build_and_the_last_tells_the_verdict(
    job: CiJob, images: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.move(images / "card--plain--light-desktop.png", other)
    paint(other, "card--plain--dark-desktop", 40)
    first = job.publish(images, "--shard", "1/2", "--nonce", "run-1")
    assert first.returncode == 0, first.stderr
    assert "1 of 2 shards have finished" in first.stdout
    second = job.told(other, "--shard", "2/2", "--nonce", "run-1")
    assert second["verdict"] == "review_needed"
    assert second["build"]["counts"]["new"] == 4
    assert len(job.builds()) == 1


def test_without_waiting_the_link_is_told_and_no_verdict(job: CiJob, images: Path) -> None:
    told = job.told(images, "--no-wait")
    assert told["verdict"] == "published"
    assert told["build"]["url"]


def test_a_dry_run_makes_no_build(job: CiJob, images: Path) -> None:
    told = job.told(images, "--dry-run")
    assert told["verdict"] == "dry_run"
    assert told["screenshots"] == 3
    assert job.builds() == []


def test_githubs_job_summary_is_written(job: CiJob, images: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    job.publish(images, env={"GITHUB_STEP_SUMMARY": str(summary)})
    text = summary.read_text(encoding="utf-8")
    assert "review needed" in text
    assert "| new | button--primary | dark-desktop, light-desktop |" in text
    assert job.builds()[0]["url"] in text
