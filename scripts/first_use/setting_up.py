"""The steps from the terminal to the printed commands: start, set up, connect."""

import secrets
from typing import Final

from scripts.first_use.pages import OWNER, REPOSITORY
from scripts.first_use.printed import PrintedGreeting, read_greeting
from scripts.first_use.report import Report
from scripts.first_use.server import Server
from scripts.first_use.session import Session

FIRST_LINE_SECONDS: Final = 1.0
SHELL_TAB: Final = "Other CI or your machine"
INSTALL: Final = "the commands that install the client"
PUBLISH: Final = "the commands that publish"
GITHUB: Final = ("the command that stores the token at GitHub", "the workflow for GitHub Actions")
GITLAB: Final = ("the command that stores the token at GitLab", "the job for GitLab CI")
TABS: Final = (("GitHub Actions", GITHUB), ("GitLab CI", GITLAB))


def start(server: Server, report: Report) -> PrintedGreeting:
    with report.step("visual-review up") as step:
        server.wait_until_greeted()
        cpu, elapsed = server.first_line_cpu_seconds, server.first_line_seconds
        # Another program may have the processor, so the seconds on the clock are only shown.
        step.check(
            cpu <= FIRST_LINE_SECONDS,
            f"its first line comes after {cpu:.1f} s of processor time ({elapsed:.1f} s elapsed)",
        )
        greeting = read_greeting(server.lines)
        step.check(greeting.setup_link, "the link for the set-up comes last, after the log lines")
    return greeting


def set_up(session: Session, greeting: PrintedGreeting) -> None:
    visitor = session.visitor
    with session.report.step("open / before the set-up") as step:
        text = visitor.open(greeting.url)
        says_it = "Open the link that the terminal printed" in text
        step.check(says_it, "it says to open the link that the terminal printed", text)
    with session.report.step("open the link, fill in the form") as step:
        visitor.open(greeting.setup_link)
        text = visitor.set_up(secrets.token_urlsafe(12))
        step.check(OWNER in text and "No repositories yet" in text, "the owner is signed in", text)


def connect(session: Session, greeting: PrintedGreeting) -> None:
    visitor = session.visitor
    with session.report.step("connect a repository") as step:
        text = visitor.connect_repository()
        step.check(f"Project token of {REPOSITORY}" in text, "the page shows its token", text)
        step.check("no longer work" not in text, "it says nothing about earlier tokens", text)
        session.token = visitor.copy("the token")
        session.install, session.publish = copy_commands(session)
        for tab, names in TABS:
            visitor.choose_tab(tab)
            session.copied |= {name: visitor.copy(name) for name in names}
        complete = greeting.url in session.publish and session.token in session.publish
        step.check(complete, "Copy gives the URL and the token", session.publish)
    with session.report.step("open the repository without builds") as step:
        visitor.open_link("Go to the repository")
        install, session.publish_without_token = copy_commands(session)
        step.check(install == session.install, "it prints the same installation", install)
        has_token = session.token in session.publish_without_token
        step.check(not has_token, "its commands leave the token to be pasted")


def copy_commands(session: Session) -> tuple[str, str]:
    session.visitor.choose_tab(SHELL_TAB)
    return session.visitor.copy(INSTALL), session.visitor.copy(PUBLISH)
