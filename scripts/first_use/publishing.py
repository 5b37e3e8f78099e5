"""The steps from the printed commands to a reviewed build."""

from typing import Final

from scripts.first_use.commands import plan_lines
from scripts.first_use.line_runs import run_lines
from scripts.first_use.machine import CommandResult
from scripts.first_use.printed import PrintedBuild, read_build
from scripts.first_use.project import BRANCH, MAIN
from scripts.first_use.report import Step
from scripts.first_use.session import Session

REVIEW_NEEDED: Final = 1
NOT_PUBLISHED: Final = 2
# Where the printed commands install the program.
PROGRAM: Final = "~/.visual-review/bin/visual-review"


def install(session: Session) -> None:
    with session.report.step("install the client") as step:
        run_lines(session, step, plan_lines(session.install))
        version = session.machine.require(f"{PROGRAM} --version", session.folder)
        step.checks.append(f"it is {version.strip()}")


def publish_without_token(session: Session) -> None:
    session.project.check_out(MAIN)
    with session.report.step("publish without a token") as step:
        done = session.machine.run(session.publish_without_token, session.project.folder)
        check_exit(step, done, NOT_PUBLISHED)
        step.check("UI_REVIEW_TOKEN" in done.output, "it names what is missing", done.output)


def publish_first(session: Session) -> PrintedBuild:
    with session.report.step("publish the first build") as step:
        build = publish(session, step, REVIEW_NEEDED)
        step.check(build.verdict == "review needed", "it says: review needed")
        step.check(build.button, f'it says to choose "{build.button}"')
    return build


def approve_first(session: Session, build: PrintedBuild) -> None:
    with session.report.step("open its link, approve it") as step:
        session.visitor.open_build(build.url)
        text = session.visitor.approve_build(build.button)
        step.check("Version 1 is the baseline of main now" in text, "it is the baseline now", text)


def publish_changes(session: Session) -> PrintedBuild:
    session.project.check_out(BRANCH)
    with session.report.step("publish a branch with changes") as step:
        build = publish(session, step, REVIEW_NEEDED)
        step.check(build.verdict == "review needed", "it says: review needed")
        step.check(not build.button, "the hint for a first build is gone")
    return build


def review_changes(session: Session, build: PrintedBuild, button: str) -> None:
    with session.report.step("open its link, review it") as step:
        session.visitor.open_build(build.url)
        session.visitor.reject_screenshot()
        step.checks.append("a rejection with a comment is counted")
        text = session.visitor.approve_build(button)
        step.check(f"Build #{build.number} is approved" in text, "an approval approves it", text)


def publish(session: Session, step: Step, expected: int) -> PrintedBuild:
    """Run the printed commands, unchanged."""
    done = session.machine.run(session.publish, session.project.folder)
    check_exit(step, done, expected)
    return read_build(done.output)


def check_exit(step: Step, done: CommandResult, expected: int) -> None:
    step.check(done.code == expected, f"it exits with {expected}", f"{done.code}: {done.output}")
