"""Failures of the server's commands, in words and with exit code 2."""

import logging.config
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from visual_review.config.errors import StartupError
from visual_review.config.logs import log_settings, mask

FAILED = 2


@contextmanager
def in_words() -> Iterator[None]:
    """Print a StartupError to the person and exit with 2."""
    logging.config.dictConfig(log_settings())
    try:
        yield
    except StartupError as error:
        typer.echo(f"visual-review: {mask(str(error))}", err=True)
        raise typer.Exit(FAILED) from error
