"""Run printed lines one after the other, and record the lines not run."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from scripts.first_use.commands import DOWNLOAD_FAILED, ShellLine
from scripts.first_use.errors import FirstUseError
from scripts.first_use.report import Step
from scripts.first_use.session import Session

NO_DOWNLOAD: Final = (
    "Run, but this machine cannot download the browser; that of the system is used instead."
)
HIDDEN: Final = "***"


def run_lines(
    session: Session,
    step: Step,
    lines: Iterable[ShellLine],
    variables: Mapping[str, str] | None = None,
    programs: Iterable[Path] = (),
) -> str:
    """Run the lines in the project; return the output of the last.

    Raises FirstUseError if a line fails, except for a failed download of a browser.
    """
    output = ""
    for line in lines:
        if line.reason:
            session.report.omit(line.printed.replace(session.token, HIDDEN), line.reason)
        if not line.run:
            continue
        result = session.machine.run(line.run, session.project.folder, variables, programs)
        if line.installs_browser and result.code != 0 and DOWNLOAD_FAILED in result.output:
            session.report.omit(line.printed, NO_DOWNLOAD)
            continue
        if result.code != 0:
            raise FirstUseError(f"`{line.run}` exits with {result.code}:\n{result.output}")
        output = result.output
        step.checks.append(f"works: {shorten(line.run)}")
    return output


def shorten(line: str) -> str:
    """Return the program and its command: a URL would make the table wide."""
    program, *arguments = line.split()
    return " ".join([Path(program).name, *arguments])[:60]
