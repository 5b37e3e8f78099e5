"""Use the product for the first time, as its terminal output and pages say: ``make first-use``.

From a clean data folder: start the server, set up, connect a repository, run the printed commands
unchanged, and review the builds. Everything printed must work as printed; otherwise this program
exits with 1 and names the failed step.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.demo_folder import DemoError
from scripts.first_use import ci_jobs, publishing, setting_up
from scripts.first_use.errors import FirstUseError
from scripts.first_use.machine import Machine
from scripts.first_use.pages import open_visitor
from scripts.first_use.playwright import use_playwright
from scripts.first_use.project import Project
from scripts.first_use.report import Report
from scripts.first_use.server import started_server
from scripts.first_use.session import Session


@contextmanager
def clean_folder(*, keep: bool) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="visual-review-first-use-"))
    # Started by root, the database runs as another user, with its files in this folder.
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if keep:
            print(f"first-use: everything is in {folder}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def use_first_time(folder: Path, report: Report) -> None:
    machine = Machine(folder)
    project = Project(folder, machine)
    with started_server(folder / "data") as server:
        greeting = setting_up.start(server, report)
        with open_visitor() as visitor:
            session = Session(folder, machine, project, visitor, report)
            setting_up.set_up(session, greeting)
            setting_up.connect(session, greeting)
            publishing.install(session)
            publishing.publish_without_token(session)
            first = publishing.publish_first(session)
            publishing.approve_first(session, first)
            publishing.review_changes(session, publishing.publish_changes(session), first.button)
            ci_jobs.run_github(session)
            ci_jobs.run_gitlab(session)
            use_playwright(session, greeting.url)
        with report.step("stop it with Ctrl-C") as step:
            step.check(server.stop() == 0, "it exits with 0")


def main() -> int:
    parser = argparse.ArgumentParser(prog="first-use", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    options = parser.parse_args()
    # A canceled CI job must stop the server, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = Report()
    try:
        with clean_folder(keep=options.keep) as folder:
            use_first_time(folder, report)
    except (FirstUseError, DemoError) as error:
        print(f"{report.text()}\n\nfirst-use: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report.text())
    print("first-use: everything works as printed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
