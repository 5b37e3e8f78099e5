"""The judgment of ``make first-use``: the command must be able to fail."""

import os

import pytest
from scripts.first_use.commands import plan_line, plan_lines, plan_pipeline, plan_workflow
from scripts.first_use.errors import FirstUseError
from scripts.first_use.machine import keep_foreign
from scripts.first_use.printed import read_build, read_greeting
from scripts.first_use.report import Report
from scripts.setup_steps import VENV_BIN

from tests.support.case import Case
from visual_review.cli.client.publish_summary import FIRST_BUILD
from visual_review.web.ci_setup import create_ci_setup

URL = "http://127.0.0.1:8000"
TOKEN = "vr_ci_abc"
SECRETS = {"UI_REVIEW_TOKEN": TOKEN}
LOG = '{"level": "INFO", "message": "serving"}'
GREETING = [
    f"Visual Review is ready at {URL}",
    "Data folder: /srv/data",
    "Open this link once to create the owner and the organization:",
    f"  {URL}/setup/vr_setup_abc",
    "Press Ctrl-C to stop.",
]
PUBLISHED = f"Build #3: review needed (took 43 s)\nReview: {URL}/builds/build_1\n"


def printed(name: str) -> str:
    return create_ci_setup(URL, "acme/web", "main", "", TOKEN).tools[0].snippets[name].code


def test_the_greeting_has_a_link_and_comes_last() -> None:
    greeting = read_greeting([LOG, *GREETING])
    assert (greeting.url, greeting.setup_link) == (URL, f"{URL}/setup/vr_setup_abc")


def test_another_greeting_is_a_failure(case: Case) -> None:
    for name, lines in {
        "a line after it": [*GREETING, LOG],
        "a line within it": [GREETING[0], LOG, *GREETING[1:]],
        "no link": [line for line in GREETING if "setup" not in line],
        "nothing": [],
    }.items():
        with case(name), pytest.raises(FirstUseError):
            read_greeting(lines)


def test_a_build_is_read_with_the_hint_for_the_first_one() -> None:
    later, first = read_build(PUBLISHED), read_build(f"{PUBLISHED}{FIRST_BUILD}\n")
    assert (later.number, later.verdict, later.button) == (3, "review needed", "")
    assert later.url == f"{URL}/builds/build_1"
    assert first.button == "Approve build"


def test_an_output_without_result_or_link_is_a_failure(case: Case) -> None:
    for output in ("", PUBLISHED.splitlines()[0], PUBLISHED.splitlines()[1]):
        with case(output), pytest.raises(FirstUseError):
            read_build(output)


def test_the_commands_for_a_terminal_are_run_as_printed() -> None:
    lines = plan_lines(printed("install"))
    assert [line.run for line in lines] == printed("install").splitlines()
    assert not any(line.reason for line in lines)
    assert [line.installs_browser for line in lines] == [False, False, True]


def test_the_workflow_is_run_except_what_only_the_ci_has() -> None:
    job = plan_workflow(printed("github_file"), SECRETS)
    assert job.variables == {"VISUAL_REVIEW_URL": URL, "UI_REVIEW_TOKEN": TOKEN}
    steps = [line for line in job.lines if line.printed.startswith("uses: ")]
    storybook, install, browser, publish = (line for line in job.lines if line not in steps)
    assert steps
    assert not any(line.run for line in (*steps, storybook))
    assert install.run == install.printed
    assert browser.run == "playwright install --only-shell chromium"
    assert publish.run == "visual-review publish storybook-static"
    assert all(line.reason for line in (*steps, storybook, browser))


def test_the_pipeline_is_run_except_what_only_the_ci_has() -> None:
    job = plan_pipeline(printed("gitlab_file"), SECRETS)
    assert job.variables == {"VISUAL_REVIEW_URL": URL, "UI_REVIEW_TOKEN": TOKEN}
    packages, storybook, publish = job.lines
    assert not packages.run
    assert not storybook.run
    assert publish.run == publish.printed


def test_the_commands_that_store_the_token_are_not_run(case: Case) -> None:
    for name in ("github_secret", "gitlab_secret"):
        with case(name):
            line = plan_line(printed(name))
            assert not line.run
            assert "account" in line.reason


def test_a_file_that_the_ci_would_refuse_is_a_failure(case: Case) -> None:
    workflow = printed("github_file")
    for name, text in {
        "no YAML": f"{workflow}\n  - [",
        "another secret": workflow.replace("secrets.UI_REVIEW_TOKEN", "secrets.TOKEN"),
        "no pull requests": workflow.replace("  pull_request:\n", ""),
    }.items():
        with case(name), pytest.raises(FirstUseError):
            plan_workflow(text, SECRETS)


def test_the_machine_of_a_new_user_has_nothing_of_ours() -> None:
    own = {"VISUAL_REVIEW_URL": URL, "UI_REVIEW_TOKEN": TOKEN, "PYTHONPATH": "src"}
    path = os.pathsep.join([str(VENV_BIN), "/usr/bin"])
    kept = keep_foreign({**own, "PATH": path, "PIP_INDEX_URL": "https://example.com"})
    assert kept == {"PATH": "/usr/bin", "PIP_INDEX_URL": "https://example.com"}


def test_the_report_says_what_failed_and_what_was_not_run() -> None:
    report = Report()
    with report.step("start it") as step:
        step.check("greeting", "it starts")
    failure = pytest.raises(FirstUseError, match=r"This is not so: it stops\.\nIt runs")
    with failure, report.step("stop it") as step:
        step.check("", "it stops", "It runs")
    report.omit("gh secret set", "It needs an account.")
    lines = [line.split() for line in report.text().splitlines()]
    assert lines[0] == ["step", "seconds", "checked"]
    assert lines[1][:2] + lines[1][3:] == ["start", "it", "it", "starts"]
    assert lines[2][-1] == "FAILED"
    assert "gh secret set\n    It needs an account." in report.text()
