"""Commands that run in CI; each module adds its own command to the app."""

from collections.abc import Callable

import typer

from visual_review.cli.client.diff import diff

COMMANDS: tuple[Callable[..., None], ...] = (diff,)


def register(app: typer.Typer) -> None:
    """Add every client command to ``app``."""
    for command in COMMANDS:
        app.command()(command)
