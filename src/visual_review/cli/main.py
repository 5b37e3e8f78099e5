"""The console command ``visual-review``: the client half always, the server half when installed."""

import os
import sys
from collections.abc import Sequence

import typer

from visual_review.cli.commands import ALIASES, announce, installed, load

# Set by the shell that asks for completions; then no argument names the command.
COMPLETION_VARIABLE = "_VISUAL_REVIEW_COMPLETE"


def root() -> None:
    """Keep the command a group even while it has a single subcommand."""


def make_app(arguments: Sequence[str]) -> typer.Typer:
    """The program as these arguments need it: with the one command they name, or a list of all."""
    app = typer.Typer(
        name="visual-review",
        help="Reviews visual changes of user-interface components.",
        no_args_is_help=True,
        # Typer's own tracebacks may show local variables, secrets among them.
        pretty_exceptions_enable=False,
    )
    app.callback()(root)
    named = next((each for each in arguments if not each.startswith("-")), None)
    entries = installed()
    chosen = [entry for entry in entries if entry.name == ALIASES.get(named or "", named)]
    if COMPLETION_VARIABLE in os.environ:
        load(app, entries)
    elif chosen:
        load(app, chosen)
    else:
        announce(app, entries)
    return app


def main() -> None:
    make_app(sys.argv[1:])()


if __name__ == "__main__":
    main()
