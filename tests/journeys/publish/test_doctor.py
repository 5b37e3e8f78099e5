"""Whether this machine could publish, known before anyone waits for a build."""

import subprocess

from tests.support.ci.job import CiJob, CommandResult, run


def examine(job: CiJob, **env: str) -> CommandResult:
    return run(["doctor"], job.environment(env))


def test_what_is_missing_is_listed_next_to_what_works(job: CiJob) -> None:
    done = examine(job, UI_REVIEW_TOKEN="vr_ci_wrong")
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
    done = examine(job)
    assert done.returncode == 0, done.stdout
    assert "6 variants, compared with nothing yet" in done.stdout
    assert job.builds() == []
