"""Errors in CI: a message, exit code 2, no incomplete build; and ``doctor``."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.demo_server import PROGRAM

from tests.support.ci.job import CiJob, CommandResult, paint, run
from visual_review.imagediff import engine


def test_a_wrong_token_says_where_to_get_the_right_one(job: CiJob, images: Path) -> None:
    done = job.publish(images, env={"UI_REVIEW_TOKEN": "vr_ci_wrong"})
    assert done.returncode == 2
    assert "UI_REVIEW_TOKEN" in done.stderr
    assert "vr_ci_wrong" not in done.stdout + done.stderr


def test_a_rotated_token_is_rejected(job: CiJob, images: Path) -> None:
    job.server.act("rotate_repo_token", repoId=job.repository)
    done = job.publish(images)
    assert done.returncode == 2
    assert "rotated" in done.stderr
    assert job.token not in done.stdout + done.stderr


def test_an_api_key_is_not_a_project_token(job: CiJob, images: Path) -> None:
    done = job.publish(images, env={"UI_REVIEW_TOKEN": job.server.key})
    assert done.returncode == 2
    assert job.server.key not in done.stdout + done.stderr


def test_the_error_of_a_missing_token_or_url_names_the_variable(job: CiJob, images: Path) -> None:
    for name in ("UI_REVIEW_TOKEN", "VISUAL_REVIEW_URL"):
        done = job.publish(images, env={name: ""})
        assert done.returncode == 2
        assert name in done.stderr


def test_a_used_up_quota_is_an_error_at_once(job: CiJob, images: Path) -> None:
    """The server's operator limits the builds of a day; the count starts again tomorrow."""
    assert isinstance(job.server.process.args, list)
    data = str(job.server.process.args[-3])
    listed = run_program("organizations", "list", "--data", data)
    organization = next(word for word in listed.split() if word.startswith("org_"))
    limit = ("organizations", "set-quota", organization, "--data", data)
    try:
        run_program(*limit, "--builds-per-day", "1")
        assert job.publish(images).returncode == 1
        done = job.publish(images)
        assert done.returncode == 2
        assert "may publish 1 builds a day. It has used 1 today" in done.stderr
        assert f"{job.server.url}/storage" in done.stderr
    finally:
        run_program(*limit, "--reset")
    assert job.publish(images).returncode == 1


def run_program(*arguments: str) -> str:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_missing_folder_is_named(job: CiJob, tmp_path: Path) -> None:
    done = job.publish(tmp_path / "storybook-static")
    assert done.returncode == 2
    assert "storybook-static" in done.stderr


def test_invalid_names_are_an_error_before_anything_is_uploaded(job: CiJob, images: Path) -> None:
    paint(images, "button", 1)
    paint(images, "button--primary--sepia-desktop", 1)
    done = job.publish(images)
    assert done.returncode == 2
    assert "2 files cannot be published" in done.stderr
    assert job.builds() == []


def test_a_different_image_of_a_finished_shard_is_rejected(job: CiJob, images: Path) -> None:
    flags = ("--nonce", "run-1", "--shard", "1/2")
    assert job.publish(images, *flags).returncode == 0
    paint(images, "card--plain--light-desktop", 99)
    done = job.publish(images, *flags)
    assert done.returncode == 2
    assert "Shard 1 of build 1 is already finished" in done.stderr
    assert "nonce" in done.stderr


def test_a_malformed_product_key_is_rejected(job: CiJob, images: Path) -> None:
    done = job.publish(images, "--product", "Web App")
    assert done.returncode == 2
    assert "product" in done.stderr.lower()


def test_an_invalid_branch_name_is_rejected(job: CiJob, images: Path) -> None:
    for branch in ("x" * 10_000, "a\tb"):
        done = job.publish(images, "--branch", branch)
        assert done.returncode == 2
        assert "branch" in done.stderr


def test_failures_are_printed_as_json_too(job: CiJob, images: Path) -> None:
    done = job.publish(images, "--json", env={"UI_REVIEW_TOKEN": "vr_ci_wrong"})
    document = json.loads(done.stdout)
    assert document["verdict"] == "failed"
    assert "UI_REVIEW_TOKEN" in document["error"]


def test_partial_and_skip_cannot_be_combined(job: CiJob, images: Path) -> None:
    done = job.publish(images, "--partial", "--skip")
    assert done.returncode == 2
    assert "--skip" in done.stderr


def doctor(job: CiJob, **env: str) -> CommandResult:
    return run(["doctor"], job.environment(env))


@pytest.fixture
def forget_engine() -> Iterator[None]:
    """Let the command choose an engine by its own environment."""
    engine.cache_clear()
    yield
    engine.cache_clear()


@pytest.mark.usefixtures("forget_engine")
def test_problems_are_listed_together_with_what_works(job: CiJob) -> None:
    done = doctor(job, UI_REVIEW_TOKEN="vr_ci_wrong", VISUAL_REVIEW_IMAGE_ENGINE="fast")
    assert done.returncode == 2
    assert "ok       browser: " in done.stdout
    assert "missing  comparison: VISUAL_REVIEW_IMAGE_ENGINE is 'fast'" in done.stdout
    assert "missing  commit: The branch is unknown" in done.stdout
    assert "missing  server: " in done.stdout
    assert "UI_REVIEW_TOKEN" in done.stdout
    assert "vr_ci_wrong" not in done.stdout + done.stderr


def test_a_machine_that_can_publish_passes(job: CiJob) -> None:
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.com"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], cwd=job.cwd, check=True)
    message = ["commit", "--quiet", "--allow-empty", "-m", "Begin"]
    subprocess.run([*git, *message], cwd=job.cwd, check=True)
    done = doctor(job)
    assert done.returncode == 0, done.stdout
    assert f"ok       comparison: {engine().name}" in done.stdout
    assert "6 variants, compared with nothing yet" in done.stdout
    assert job.builds() == []
