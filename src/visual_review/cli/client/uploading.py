"""Shared by the commands for uploads from CI to the server."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from visual_review.cli.client.capture_choices import ChoiceError
from visual_review.cli.client.console import (
    RateColumn,
    TimeLeftColumn,
    is_interactive,
    make_console,
    print_line,
    print_lines,
)
from visual_review.cli.client.output import print_json
from visual_review.cli.client.publish_options import TOKEN_VARIABLE, URL_VARIABLE
from visual_review.client.capture import CaptureError
from visual_review.client.ci import CiError
from visual_review.client.progress import Reporter
from visual_review.client.transport.connection import validate_base_url
from visual_review.client.transport.credentials import (
    Credential,
    find_identity_token,
    token_audience,
)
from visual_review.client.transport.errors import InputError, PublishError

# A CI log should show a running job, not every single image.
LINES_PER_STEP: Final = 10
FAILED: Final = 2
NO_CREDENTIAL: Final = (
    f"There is no project token: set {TOKEN_VARIABLE} or pass --token. Many CI systems give no "
    "secrets to pull requests of forks and bots; those jobs can publish with an identity token "
    "instead (GitHub: 'permissions: id-token: write'; GitLab: 'id_tokens')."
)


def make_reporter(log: Console) -> Reporter:
    return BarReporter(log) if is_interactive(log) else LineReporter(log)


def make_retry_reporter(reporter: Reporter) -> Callable[[str, float], None]:
    def on_retry(reason: str, seconds: float) -> None:
        reporter.note(f"The server did not respond ({reason}); retrying in {seconds:.1f} s.")

    return on_retry


def require_url(url: str) -> str:
    if not url.strip():
        raise InputError(f"The server's URL is missing: set {URL_VARIABLE} or pass --url.")
    return url


def validate_token(token: str) -> str:
    """Return the token without surrounding spaces. Raises InputError without quoting the token."""
    token = token.strip()
    if not token:
        raise InputError(
            f"There is no project token: set {TOKEN_VARIABLE} or pass --token. "
            "Many CI systems give no secrets to pull requests of forks."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"The value of {TOKEN_VARIABLE} is not a project token. Is it truncated or quoted?"
        )
    return token


def find_credential(token: str, url: str) -> str | Credential:
    """Return the project token, otherwise the job's identity token. Raises InputError."""
    if token.strip():
        return validate_token(token)
    audience = token_audience(validate_base_url(url), os.environ)
    identity = find_identity_token(os.environ, audience)
    if identity is None:
        raise InputError(NO_CREDENTIAL)
    return identity


@contextmanager
def report_errors(command: str, *, as_json: bool) -> Iterator[None]:
    """Print expected errors and exit with 2."""
    try:
        yield
    except (CaptureError, ChoiceError, CiError, PublishError, OSError) as error:
        print_lines(make_console(stderr=True), f"visual-review {command}: {error}")
        if as_json:
            print_json({"verdict": "failed", "error": str(error)})
        raise typer.Exit(FAILED) from error


class LineReporter:
    """Whole lines without control characters."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._step = ""
        self._total = 0
        self._done = 0

    def note(self, text: str) -> None:
        print_line(self._console, text)

    def begin(self, step: str, total: int) -> None:
        self._step, self._total, self._done = step, total, 0
        self.note(f"{step}: {total}")

    def advance(self) -> None:
        self._done += 1
        tenths = self._done * LINES_PER_STEP // self._total
        if tenths > (self._done - 1) * LINES_PER_STEP // self._total:
            self.note(f"{self._step}: {self._done} of {self._total}")

    def end(self) -> None:
        """Do nothing: lines need no cleanup."""


class BarReporter:
    """A progress bar for each step, with notes above the bar."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def note(self, text: str) -> None:
        print_line(self._console, text)

    def begin(self, step: str, total: int) -> None:
        self.end()
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeLeftColumn(),
        )
        # A new bar for each step: the total is known only at the beginning of the step.
        self._progress = Progress(*columns, console=self._console)
        self._task = self._progress.add_task(step, total=total)
        self._progress.start()

    def advance(self) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)

    def end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
