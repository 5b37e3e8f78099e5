"""The CI files printed on the pages, run with the variables that a CI gives to jobs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scripts.first_use.commands import PrintedJob, plan_line, plan_pipeline, plan_workflow
from scripts.first_use.line_runs import run_lines
from scripts.first_use.machine import Machine
from scripts.first_use.pages import REPOSITORY
from scripts.first_use.printed import PrintedBuild, read_build
from scripts.first_use.project import BRANCH, MAIN
from scripts.first_use.report import Step
from scripts.first_use.session import Session
from scripts.first_use.setting_up import GITHUB, GITLAB

# The version of Debian 12, the base of the printed image.
PIPX: Final = "pipx==1.1.0"
PULL_REQUEST: Final = 1
TOKEN: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - The name of a variable.


def run_github(session: Session) -> None:
    """Run the workflow for a pull request of the branch, whose changes are approved."""
    store_token, workflow = (session.copied[name] for name in GITHUB)
    base = session.project.check_out(MAIN)
    head = session.project.check_out(BRANCH)
    with session.report.step("the workflow for GitHub Actions") as step:
        job = plan_workflow(workflow, {TOKEN: session.token})
        variables = github_variables(session.folder, REPOSITORY, base, head)
        programs = make_python(session.machine, session.folder / "runner")
        build = _run(session, step, store_token, job, variables, programs)
        carried = build.verdict.endswith("every change was approved before")
        step.check(carried, "the changes of the pull request need no second review", build.verdict)


def run_gitlab(session: Session) -> None:
    """Run the job for the default branch, where nothing has changed."""
    store_token, pipeline = (session.copied[name] for name in GITLAB)
    commit = session.project.check_out(MAIN)
    with session.report.step("the job for GitLab CI") as step:
        job = plan_pipeline(pipeline, {TOKEN: session.token})
        programs = make_pipx(session.machine, session.folder / "pipx")
        build = _run(session, step, store_token, job, gitlab_variables(commit), programs)
        step.check(build.verdict == "nothing to review", "it says: nothing to review")


def _run(
    session: Session,
    step: Step,
    store_token: str,
    job: PrintedJob,
    variables: Mapping[str, str],
    programs: Path,
) -> PrintedBuild:
    lines = (plan_line(store_token), *job.lines)
    return read_build(run_lines(session, step, lines, {**variables, **job.variables}, [programs]))


def github_variables(folder: Path, repository: str, base: str, head: str) -> dict[str, str]:
    """Return the variables of a workflow run for a pull request."""
    event = folder / "event.json"
    event.write_text(
        json.dumps(
            {
                "pull_request": {
                    "number": PULL_REQUEST,
                    "title": "Fresh paint for the harbour",
                    "head": {"ref": BRANCH, "sha": head, "repo": {"full_name": repository}},
                    "base": {"ref": MAIN, "sha": base, "repo": {"full_name": repository}},
                }
            }
        ),
        encoding="utf-8",
    )
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_HEAD_REF": BRANCH,
        "GITHUB_BASE_REF": MAIN,
        "GITHUB_JOB": "visual-review",
        "GITHUB_REF": f"refs/pull/{PULL_REQUEST}/merge",
        "GITHUB_REPOSITORY": repository,
        "GITHUB_RUN_ID": "1",
        "GITHUB_SHA": head,
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }


def gitlab_variables(commit: str) -> dict[str, str]:
    """Return the variables of a pipeline run for the default branch."""
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_COMMIT_BRANCH": MAIN,
        "CI_COMMIT_SHA": commit,
        "CI_COMMIT_TITLE": "Design system as it is",
        "CI_DEFAULT_BRANCH": MAIN,
        "CI_JOB_ID": "1",
        "CI_JOB_NAME": "visual-review",
        "CI_PIPELINE_ID": "1",
    }


def make_python(machine: Machine, folder: Path) -> Path:
    """Return the folder of programs of a Python like a runner's."""
    machine.require(f"python3 -m venv {folder}", machine.home)
    return folder / "bin"


def make_pipx(machine: Machine, folder: Path) -> Path:
    """Return the folder of pipx; the printed job gets pipx from the system's packages."""
    programs = make_python(machine, folder)
    machine.require(f"{programs}/pip install --quiet {PIPX}", machine.home)
    return programs
