"""Commands that run the service; each module adds its own command to the app."""

from collections.abc import Callable

import typer

COMMANDS: tuple[Callable[..., None], ...] = ()


def register(app: typer.Typer) -> None:
    """Add every server command to ``app``."""
    for command in COMMANDS:
        app.command()(command)
