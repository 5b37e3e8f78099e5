"""Checking that a machine can publish, without a build."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.support.ci.job import CiJob, CommandResult, run
from visual_review.imagediff import engine


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
