"""What commands have in common that send something from CI to the server."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

import typer
from rich.console import Console

from visual_review.cli.client.capture import ChoiceError
from visual_review.cli.client.console import console, say
from visual_review.cli.client.publish_options import TOKEN_VARIABLE, URL_VARIABLE
from visual_review.cli.client.reporters import BarReporter, LineReporter
from visual_review.client.capture import CaptureError
from visual_review.client.ci import CiError
from visual_review.client.reporter import Reporter
from visual_review.client.transport.connection import checked_base
from visual_review.client.transport.credentials import Credential, audience_of, identity_offered
from visual_review.client.transport.errors import InputError, PublishError

FAILED: Final = 2
# What shells report for a program ended by Ctrl-C: 128 and the number of the signal.
INTERRUPTED: Final = 130
NO_CREDENTIAL: Final = (
    f"There is no project token: set {TOKEN_VARIABLE} or give --token. Many CI systems keep "
    "secrets from pull requests of forks and from bots: their jobs can publish with an identity "
    "token instead (GitHub: 'permissions: id-token: write'; GitLab: 'id_tokens')."
)


def reporter_on(log: Console) -> Reporter:
    return BarReporter(log) if log.is_terminal else LineReporter(log)


def reporting_retries(reporter: Reporter) -> Callable[[str, float], None]:
    def on_retry(reason: str, seconds: float) -> None:
        reporter.note(f"The server did not answer ({reason}); trying again in {seconds:.1f} s.")

    return on_retry


def checked_url(url: str) -> str:
    if not url.strip():
        raise InputError(f"The server's address is not known: set {URL_VARIABLE} or give --url.")
    return url


def checked_token(token: str) -> str:
    """A token as it can stand in a header; nothing of it is ever shown."""
    token = token.strip()
    if not token:
        raise InputError(
            f"There is no project token: set {TOKEN_VARIABLE} or give --token. "
            "Many CI systems keep secrets from pull requests of forks."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"The value of {TOKEN_VARIABLE} is no project token. Was it cut or quoted?"
        )
    return token


def credential_for(token: str, url: str) -> str | Credential:
    """The project token, else the identity that CI offers this job. Raises InputError."""
    if token.strip():
        return checked_token(token)
    offered = identity_offered(os.environ, audience_of(checked_base(url), os.environ))
    if offered is None:
        raise InputError(NO_CREDENTIAL)
    return offered


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Clean up when CI cancels a job, which most providers do with SIGTERM."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def handled_failures(command: str, *, as_json: bool) -> Iterator[None]:
    """Turn what can be expected to go wrong into words and the exit code 2."""
    try:
        yield
    except (CaptureError, ChoiceError, CiError, PublishError, OSError) as error:
        log = console(stderr=True)
        for line in f"visual-review {command}: {error}".splitlines():
            say(log, line)
        if as_json:
            typer.echo(json.dumps({"verdict": "failed", "error": str(error)}, indent=2))
        raise typer.Exit(FAILED) from error
