"""Each command imports only its own half, and the list of commands imports none."""

import subprocess
import sys
from importlib.metadata import version

import pytest
import typer

from tests.support.case import Case
from visual_review.cli.commands import CLIENT, SERVER, load_commands

HEAVY = ("django", "playwright", "numpy", "PIL", "httpx", "psycopg")
PROGRAM = (
    "import sys; from visual_review.cli.main import make_app; make_app(sys.argv[2:]); "
    "print(*(name for name in sys.argv[1].split() if name in sys.modules))"
)


def imported_packages(*arguments: str) -> list[str]:
    """Return the heavy packages imported by the program for the given arguments."""
    command = [sys.executable, "-c", PROGRAM, " ".join(HEAVY), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("arguments", [(), ("--help",), ("publsh",)])
def test_the_list_of_commands_imports_none_of_them(arguments: tuple[str, ...]) -> None:
    assert imported_packages(*arguments) == []


def test_the_help_imports_these_modules_of_ours_alone() -> None:
    program = (
        "import sys; from visual_review.cli.main import make_app; make_app(['--help']); "
        "print(*sorted(name for name in sys.modules if name.startswith('visual_review')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        "visual_review",
        "visual_review.cli",
        "visual_review.cli.client",
        "visual_review.cli.client.output",
        "visual_review.cli.commands",
        "visual_review.cli.main",
        "visual_review.cli.quick_command",
        "visual_review.client",
        "visual_review.client.terminal",
    ]


def test_publishing_images_does_not_import_the_browsers_driver() -> None:
    assert not {"playwright", "django"} & set(imported_packages("publish"))


def test_a_server_command_does_not_import_the_browser_or_the_comparison() -> None:
    assert not {"playwright", "numpy", "PIL"} & set(imported_packages("web"))


def test_each_command_is_listed_with_the_first_line_of_its_help(case: Case) -> None:
    for entry in (*SERVER, *CLIENT):
        with case(entry.name):
            app = typer.Typer()
            load_commands(app, [entry])
            command = typer.main.get_group(app).commands[entry.name]
            assert (command.help or "").split("\n")[0] == entry.help


def test_the_help_lists_both_halves_and_a_mistyped_command_is_an_error() -> None:
    program = [sys.executable, "-m", "visual_review.cli.main"]
    listed = subprocess.run([*program, "--help"], capture_output=True, text=True, check=True)
    for entry in (*SERVER, *CLIENT):
        assert f" {entry.name} " in listed.stdout
    mistyped = subprocess.run([*program, "publsh"], capture_output=True, text=True, check=False)
    assert mistyped.returncode == 2
    assert "No such command 'publsh'" in mistyped.stderr


def test_a_command_of_the_server_says_where_it_runs_if_only_the_client_is_installed() -> None:
    program = (
        "import sys; from visual_review.cli import main; main.is_server_installed = lambda: False; "
        "sys.argv = ['visual-review', 'up', '--help']; main.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "only the client is installed here" in done.stderr


def test_the_version_is_printed_without_loading_a_command() -> None:
    program = (
        "import sys; from visual_review.cli.main import main; sys.argv = ['visual-review', "
        "'--version']\ntry: main()\nexcept SystemExit as end: "
        "print(end.code, *(name for name in sys.modules if 'cli.' in name and 'server' in name))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["visual-review", version("visual-review"), "0"]
