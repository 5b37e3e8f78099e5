"""The console command ``visual-review``: the client half always, the server half when installed."""

import sys
from importlib import import_module
from importlib.util import find_spec

import typer

CLIENT_HALF = "visual_review.cli.client"
SERVER_HALF = "visual_review.cli.server"
SERVER_MARKER = "django"
SERVER_COMMANDS = frozenset(
    {
        *("up", "migrate", "web", "worker", "backup", "restore", "keys"),
        *("retention", "reseal", "charges"),
    }
)

app = typer.Typer(
    name="visual-review",
    help="Reviews visual changes of user-interface components.",
    no_args_is_help=True,
    # Typer's own tracebacks may show local variables, secrets among them.
    pretty_exceptions_enable=False,
)


@app.callback()
def root() -> None:
    """Keep the command a group even while it has a single subcommand."""


def load_halves(arguments: list[str]) -> None:
    """Register the commands the arguments may mean, each half loaded by name.

    The client half installs without the server's dependencies. A server's process needs none
    of the browser's and the comparison's, which take a second and 60 MB.
    """
    for_server = bool(arguments) and arguments[0] in SERVER_COMMANDS
    if find_spec(SERVER_MARKER) is not None:
        import_module(SERVER_HALF).register(app)
        if for_server:
            return
    import_module(CLIENT_HALF).register(app)


def main() -> None:
    load_halves(sys.argv[1:])
    app()


if __name__ == "__main__":
    main()
