"""Commands that run in CI; each module adds its own command to the app."""

import typer


def register(app: typer.Typer) -> None:
    """Add every client command to ``app``."""
    for command in ():
        app.command()(command)
