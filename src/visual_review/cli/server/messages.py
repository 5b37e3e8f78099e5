"""Error messages of the server commands, with exit code 2."""

import logging.config
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import typer

from visual_review.client.ci_commands import replace_controls
from visual_review.config.environment import EnvironmentInvalidError
from visual_review.config.errors import StartupError
from visual_review.config.logs import log_settings, mask

FAILED = 2


def _log_unexpected(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    logging.getLogger(__name__).critical("unexpected error", exc_info=(kind, error, trace))


@contextmanager
def as_message() -> Iterator[None]:
    """Print a StartupError and exit with 2."""
    logging.config.dictConfig(log_settings())
    # A traceback may contain a URL with a password; the log masks it, Python would not.
    sys.excepthook = _log_unexpected
    try:
        yield
    except StartupError as error:
        # Messages about variables contain examples, not values; masking would garble them.
        shown = str(error) if isinstance(error, EnvironmentInvalidError) else mask(str(error))
        # A message may quote names that members chose.
        typer.echo(f"visual-review: {replace_controls(shown, terminal=False)}", err=True)
        raise typer.Exit(FAILED) from error
