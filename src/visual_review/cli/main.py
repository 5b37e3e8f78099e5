"""The console command ``visual-review``: the client half always, the server half when installed."""

from importlib import import_module
from importlib.util import find_spec

import typer

from visual_review.cli.client import register as register_client

SERVER_HALF = "visual_review.cli.server"
SERVER_MARKER = "django"

app = typer.Typer(
    name="visual-review",
    help="Reviews visual changes of user-interface components.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def root() -> None:
    """Keep the command a group even while it has a single subcommand."""


def main() -> None:
    register_client(app)
    # The client half installs without the server's dependencies, hence the load by name.
    if find_spec(SERVER_MARKER) is not None:
        import_module(SERVER_HALF).register(app)
    app()


if __name__ == "__main__":
    main()
