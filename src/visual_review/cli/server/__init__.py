"""Commands that run the service; each module adds its own command to the app."""

import typer


def register(app: typer.Typer) -> None:
    """Add every server command to ``app``."""
    for command in ():
        app.command()(command)
