"""Each command loads its own half, and the list of all of them loads none."""

import subprocess
import sys

import pytest
import typer

from tests.support.case import Case
from visual_review.cli.commands import CLIENT, SERVER, load

HEAVY = ("django", "playwright", "numpy", "PIL", "httpx", "psycopg")
LOADED = (
    "import sys; from visual_review.cli.main import make_app; make_app(sys.argv[2:]); "
    "print(*(name for name in sys.argv[1].split() if name in sys.modules))"
)


def loaded(*arguments: str) -> list[str]:
    """Which of the heavy packages the program has imported once it knows its arguments."""
    command = [sys.executable, "-c", LOADED, " ".join(HEAVY), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("arguments", [(), ("--help",), ("publsh",)])
def test_a_list_of_the_commands_loads_none_of_them(arguments: tuple[str, ...]) -> None:
    assert loaded(*arguments) == []


def test_a_server_command_loads_nothing_of_the_browser_or_the_comparison() -> None:
    assert not {"playwright", "numpy", "PIL"} & set(loaded("web"))


def test_each_command_is_listed_with_the_first_line_of_its_help(case: Case) -> None:
    for entry in (*SERVER, *CLIENT):
        with case(entry.name):
            app = typer.Typer()
            load(app, [entry])
            command = typer.main.get_group(app).commands[entry.name]
            assert (command.help or "").split("\n")[0] == entry.help


def test_the_help_lists_both_halves_and_a_mistyped_command_is_refused() -> None:
    program = [sys.executable, "-m", "visual_review.cli.main"]
    listed = subprocess.run([*program, "--help"], capture_output=True, text=True, check=True)
    for entry in (*SERVER, *CLIENT):
        assert f" {entry.name} " in listed.stdout
    mistyped = subprocess.run([*program, "publsh"], capture_output=True, text=True, check=False)
    assert mistyped.returncode == 2
    assert "No such command 'publsh'" in mistyped.stderr
