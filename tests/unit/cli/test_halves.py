import subprocess
import sys

import typer

from visual_review.cli import server
from visual_review.cli.main import SERVER_COMMANDS


def test_the_names_of_the_server_half_are_those_it_registers() -> None:
    app = typer.Typer()
    server.register(app)
    commands = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback is not None
    }
    groups = {group.typer_instance.info.name for group in app.registered_groups}
    assert commands | groups == SERVER_COMMANDS


def test_a_server_command_loads_nothing_of_the_browser_or_the_comparison() -> None:
    code = (
        "import sys; from visual_review.cli.main import load_halves; load_halves(['web']); "
        "print(*(name for name in ('playwright', 'numpy', 'PIL') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_help_lists_both_halves() -> None:
    program = [sys.executable, "-m", "visual_review.cli.main", "--help"]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    for name in (*SERVER_COMMANDS, "diff", "publish"):
        assert f" {name} " in done.stdout
