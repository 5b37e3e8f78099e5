"""From a folder of images to a verdict, with a real server."""

import shutil
from pathlib import Path

from tests.support.ci.job import CiJob, paint


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


def test_a_change_is_listed_and_an_option_makes_the_exit_code_0(
    approved_job: CiJob, images_to_change: Path
) -> None:
    paint(images_to_change, "button--primary--dark-desktop", 90)
    changed = approved_job.publish(images_to_change)
    assert changed.returncode == 1
    line, sentence, *_ = changed.stdout.partition("changed  button--primary")[2].splitlines()
    assert line.split()[0] == "dark-desktop"
    assert sentence.strip()
    assert "card--plain" not in changed.stdout
    again = approved_job.publish(images_to_change, "--exit-zero-on-changes")
    assert again.returncode == 0


def test_a_pull_request_is_compared_with_its_base_branch(
    approved_job: CiJob, images_to_change: Path
) -> None:
    paint(images_to_change, "card--plain--light-desktop", 200)
    flags = ("--branch", "feature/x", "--pull-request", "12", "--base-branch", "main")
    document = approved_job.publish_json(images_to_change, *flags)
    assert document["verdict"] == "review_needed"
    assert document["baselineRule"] == "target_branch"
    assert [item["storyId"] for item in document["build"]["toReview"]] == ["card--plain"]
    assert approved_job.builds()[0]["pullRequest"] == 12


def test_what_was_approved_once_is_carried_over(
    approved_job: CiJob, images_to_change: Path
) -> None:
    paint(images_to_change, "card--plain--light-desktop", 210)
    flags = ("--branch", "feature/y", "--pull-request", "13", "--base-branch", "main")
    assert approved_job.publish(images_to_change, *flags).returncode == 1
    approved_job.approve_newest()
    again = approved_job.publish(images_to_change, *flags)
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


def test_a_partial_folder_removes_nothing(approved_job: CiJob, images_to_change: Path) -> None:
    (images_to_change / "card--plain--light-desktop.png").unlink()
    partial = approved_job.publish_json(images_to_change, "--partial")
    assert partial["verdict"] == "nothing_to_review"
    assert partial["build"]["counts"]["unchanged"] == 3
    full = approved_job.publish_json(images_to_change)
    assert full["verdict"] == "review_needed"
    assert full["build"]["counts"]["removed"] == 1


def test_a_skipped_product_inherits_everything(approved_job: CiJob, tmp_path: Path) -> None:
    skipped = approved_job.publish_json(tmp_path / "not built", "--skip")
    assert skipped["verdict"] == "nothing_to_review"
    assert skipped["screenshots"] == 0
    assert skipped["build"]["counts"]["unchanged"] == 3


def test_products_of_one_run_are_separate_builds(job: CiJob, images: Path) -> None:
    for product in ("web", "mobile"):
        assert job.publish(images, "--product", product, "--nonce", "run-1").returncode == 1
    assert {build["productKey"] for build in job.builds()} == {"web", "mobile"}


def test_shards_make_one_build_and_the_last_reports_the_verdict(
    job: CiJob, images: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.move(images / "card--plain--light-desktop.png", other)
    paint(other, "card--plain--dark-desktop", 40)
    first = job.publish(images, "--shard", "1/2", "--nonce", "run-1")
    assert first.returncode == 0, first.stderr
    assert "1 of 2 shards have finished" in first.stdout
    second = job.publish_json(other, "--shard", "2/2", "--nonce", "run-1")
    assert second["verdict"] == "review_needed"
    assert second["build"]["counts"]["new"] == 4
    assert len(job.builds()) == 1


def test_without_waiting_there_is_a_link_and_no_verdict(job: CiJob, images: Path) -> None:
    document = job.publish_json(images, "--no-wait")
    assert document["verdict"] == "published"
    assert document["build"]["url"]


def test_a_dry_run_creates_no_build(job: CiJob, images: Path) -> None:
    document = job.publish_json(images, "--dry-run")
    assert document["verdict"] == "dry_run"
    assert document["screenshots"] == 3
    assert job.builds() == []


def test_githubs_job_summary_is_written(job: CiJob, images: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    job.publish(images, env={"GITHUB_STEP_SUMMARY": str(summary)})
    text = summary.read_text(encoding="utf-8")
    assert "review needed" in text
    assert "<td><code>button--primary</code></td>" in text
    assert "<code>dark-desktop, light-desktop</code>" in text
    assert job.builds()[0]["url"] in text
