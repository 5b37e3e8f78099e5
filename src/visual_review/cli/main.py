"""The console command ``visual-review``: client commands, and server commands if installed."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from visual_review.cli.client.output import escape_output
from visual_review.cli.commands import (
    CLIENT,
    SERVER,
    add_stubs,
    installed_commands,
    is_server_installed,
    load_commands,
)

NAME = "visual-review"
SLOW_START = "up"
HELP = {"--help"}
SERVER_NAMES = {entry.name for entry in SERVER}
# Set by the shell for completions; then no argument names the command.
COMPLETION_VARIABLE = "_VISUAL_REVIEW_COMPLETE"


def print_version(asked: bool) -> None:  # noqa: FBT001 - Typer passes the flag's value.
    if asked:
        typer.echo(f"{NAME} {version(NAME)}")
        raise typer.Exit


def root(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Keep the app a group of commands even if only one is loaded."""


def make_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the app with the one command named by ``arguments``, or with a list of all."""
    command = _name_command(arguments)
    entries = installed_commands()
    chosen = [entry for entry in entries if entry.name == command]
    app = typer.Typer(
        name=NAME,
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


def make_single_app(arguments: Sequence[str]) -> typer.Typer | None:
    """Return an app of one command alone, if the first argument names one that starts quickly.

    The options of the app around a command are always parsed by Typer, which imports Pydantic.
    """
    found = [entry for entry in CLIENT if entry.command_class and [entry.name] == arguments[:1]]
    if not found or COMPLETION_VARIABLE in os.environ:
        return None
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    load_commands(app, found)
    return app


def _name_command(arguments: Sequence[str]) -> str:
    return next((each for each in arguments if not each.startswith("-")), "")


def _report_client_only(command: str) -> int:
    print(  # noqa: T201 - The error of the command.
        f"{NAME} {command}: only the client is installed here. {command!r} is a command of the "
        "server; run it where the server is installed.",
        file=sys.stderr,
    )
    return 2


def main() -> None:
    arguments = sys.argv[1:]
    if _name_command(arguments) in SERVER_NAMES and not is_server_installed():
        sys.exit(_report_client_only(_name_command(arguments)))
    # The log of the service has a format of its own, and no job runs the service.
    if _name_command(arguments) not in SERVER_NAMES:
        escape_output()
    if arguments[:1] == [SLOW_START] and not HELP & {*arguments}:
        # Loading the service takes a while, most of all the first time.
        print(f"Visual Review {version(NAME)}", flush=True)  # noqa: T201 - For the user who starts the service.
    single = make_single_app(arguments)
    if single is None:
        make_app(arguments)()
    else:
        single(args=arguments[1:], prog_name=f"{NAME} {arguments[0]}")


if __name__ == "__main__":
    main()
