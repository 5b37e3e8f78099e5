"""The console command ``visual-review``: client commands, and server commands if installed."""

import os
import sys
from collections.abc import Sequence

import typer

from visual_review.cli.commands import ALIASES, add_stubs, installed_commands, load_commands

# Set by the shell when it asks for completions; then no argument names the command.
COMPLETION_VARIABLE = "_VISUAL_REVIEW_COMPLETE"


def root() -> None:
    """Keep the app a group of commands even if only one is loaded."""


def make_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the app with the one command that ``arguments`` name, or with a list of all."""
    command = next((each for each in arguments if not each.startswith("-")), None)
    entries = installed_commands()
    chosen = [entry for entry in entries if entry.name == ALIASES.get(command or "", command)]
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


def main() -> None:
    make_app(sys.argv[1:])()


if __name__ == "__main__":
    main()
