"""The program with all commands at once, unlike any running program."""

from functools import cache
from typing import Any

import typer
from typer.exceptions import TyperException

from visual_review.cli.commands import CLIENT, SERVER, load_commands
from visual_review.cli.main import root


@cache
def whole_program() -> Any:  # noqa: ANN401 - Typer's commands have no public class.
    app = typer.Typer()
    app.callback()(root)
    load_commands(app, (*SERVER, *CLIENT))
    return typer.main.get_command(app)


def explain_arguments(arguments: list[str]) -> str:
    """Return why the program would not accept the arguments, or an empty string."""
    command, name, rest = whole_program(), "visual-review", arguments
    while commands := getattr(command, "commands", None):
        if rest[:1] == ["--version"]:
            return ""
        found = commands.get(rest[0]) if rest else None
        if found is None:
            return f"there is no command '{name} {' '.join(rest[:1])}'"
        command, name, rest = found, f"{name} {rest[0]}", rest[1:]
    try:
        command.make_context(name, list(rest))
    except typer.Exit:
        return ""
    except TyperException as error:
        return f"'{name}': {error}"
    return ""
