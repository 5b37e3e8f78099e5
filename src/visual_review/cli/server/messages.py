"""Failures of the server's commands, in words and with exit code 2."""

import logging.config
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import typer

from visual_review.config.environment import EnvironmentInvalidError
from visual_review.config.errors import StartupError
from visual_review.config.logs import log_settings, mask

FAILED = 2


def _log_unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    logging.getLogger(__name__).critical("an unexpected failure", exc_info=(kind, error, trace))


@contextmanager
def as_message() -> Iterator[None]:
    """Print a StartupError to the person and exit with 2."""
    logging.config.dictConfig(log_settings())
    # A traceback may hold an address with a password; the log masks it, Python would not.
    sys.excepthook = _log_unexpected
    try:
        yield
    except StartupError as error:
        # What is said of variables shows examples and no values, which masking would spoil.
        shown = str(error) if isinstance(error, EnvironmentInvalidError) else mask(str(error))
        typer.echo(f"visual-review: {shown}", err=True)
        raise typer.Exit(FAILED) from error
