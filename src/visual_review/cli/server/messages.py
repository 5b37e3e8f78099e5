"""Error messages of the server commands, with exit code 2."""

import logging.config
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from visual_review.client.terminal import replace_controls
from visual_review.config.environment import EnvironmentInvalidError, StartupError
from visual_review.config.logs import log_settings, log_unexpected, mask

FAILED = 2


@contextmanager
def as_message() -> Iterator[None]:
    """Print a StartupError and exit with 2."""
    logging.config.dictConfig(log_settings())
    sys.excepthook = log_unexpected
    try:
        yield
    except StartupError as error:
        # Messages about variables contain examples, not values; masking would garble them.
        shown = str(error) if isinstance(error, EnvironmentInvalidError) else mask(str(error))
        # A message may quote names chosen by members.
        typer.echo(f"visual-review: {replace_controls(shown, terminal=False)}", err=True)
        raise typer.Exit(FAILED) from error
