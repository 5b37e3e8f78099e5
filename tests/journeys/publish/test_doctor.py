"""Checking that a machine can publish, without a build."""

import subprocess

from tests.support.ci.job import CiJob, CommandResult, run


def doctor(job: CiJob, **env: str) -> CommandResult:
    return run(["doctor"], job.environment(env))


def test_problems_are_listed_together_with_what_works(job: CiJob) -> None:
    done = doctor(job, UI_REVIEW_TOKEN="vr_ci_wrong")
    assert done.returncode == 2
    assert "ok       browser: " in done.stdout
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
    assert "6 variants, compared with nothing yet" in done.stdout
    assert job.builds() == []
