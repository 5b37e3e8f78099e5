"""Server commands in the test's process, where a separate process would prove nothing more.

Django is set up already, so a command uses the test's database and settings. Before the set-up, a
command reads the given environment.
"""

import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from typer.testing import CliRunner

from tests.support.servers.service import CommandResult, environment
from visual_review.cli.main import make_app
from visual_review.config.standalone import privileges

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_in_process(arguments: Sequence[str], env: Mapping[str, str] | None = None) -> CommandResult:
    """Run one server command to its end, as ``run`` does in a separate process."""
    with _process_state_restored(environment() if env is None else env):
        return _invoke(arguments)


def _invoke(arguments: Sequence[str]) -> CommandResult:
    result = CliRunner().invoke(make_app(arguments), list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return CommandResult(result.exit_code, result.stdout, result.stderr)


@contextmanager
def _process_state_restored(env: Mapping[str, str]) -> Iterator[None]:
    """Undo the global changes of a command; commands expect a process of their own."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    with (
        patch.dict(os.environ, env, clear=True),
        # Giving up root, or new files for the owner only, would outlast the command.
        patch.object(privileges, "is_root", return_value=False),
        patch.object(privileges, "harden"),
        patch.object(privileges, "keep_files_private"),
        # The command's logging setup would replace pytest's.
        patch("logging.config.dictConfig"),
        patch.object(sys, "excepthook", sys.excepthook),
        warnings.catch_warnings(),
    ):
        # A failed command leaves files and sockets open until its process ends.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            yield
        finally:
            gc.collect()
            for number, handler in handlers.items():
                signal.signal(number, handler)
