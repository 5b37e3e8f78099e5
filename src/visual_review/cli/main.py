"""The console command ``visual-review``: client commands, and server commands if installed."""

import os
import sys
from collections.abc import Sequence

import typer

from visual_review.cli.client.output import escape_output
from visual_review.cli.commands import (
    ALIASES,
    SERVER,
    add_stubs,
    installed_commands,
    load_commands,
)

# Set by the shell when it asks for completions; then no argument names the command.
COMPLETION_VARIABLE = "_VISUAL_REVIEW_COMPLETE"


def root() -> None:
    """Keep the app a group of commands even if only one is loaded."""


def make_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the app with the one command that ``arguments`` name, or with a list of all."""
    command = _name_command(arguments)
    entries = installed_commands()
    chosen = [entry for entry in entries if entry.name == command]
    app = typer.Typer(
        name="visual-review",
        help="Review visual changes of UI components.",
        no_args_is_help=True,
        # Typer's own tracebacks may show local variables, secrets among them.
        pretty_exceptions_enable=False,
        # Boxes take longer to import than the list of commands takes to print.
        rich_markup_mode="rich" if chosen else None,
    )
    app.callback()(root)
    if COMPLETION_VARIABLE in os.environ:
        load_commands(app, entries)
    elif chosen:
        load_commands(app, chosen)
    else:
        add_stubs(app, entries)
    return app


def _name_command(arguments: Sequence[str]) -> str:
    name = next((each for each in arguments if not each.startswith("-")), "")
    return ALIASES.get(name, name)


def main() -> None:
    arguments = sys.argv[1:]
    # The log of the service has a format of its own, and no job runs it.
    if _name_command(arguments) not in {entry.name for entry in SERVER}:
        escape_output()
    make_app(arguments)()


if __name__ == "__main__":
    main()
