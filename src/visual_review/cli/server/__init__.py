"""Commands that run the service; each module adds its own command to the app."""

from collections.abc import Callable

import typer

from visual_review.cli.server.backup import backup, restore
from visual_review.cli.server.charges import charges
from visual_review.cli.server.keys import keys
from visual_review.cli.server.migrate import migrate
from visual_review.cli.server.reseal import reseal
from visual_review.cli.server.retention import retention
from visual_review.cli.server.up import up
from visual_review.cli.server.web import web
from visual_review.cli.server.worker import worker

COMMANDS: tuple[Callable[..., None], ...] = (
    *(up, migrate, web, worker, backup, restore),
    *(retention, reseal, charges),
)


def register(app: typer.Typer) -> None:
    """Add every server command to ``app``."""
    for command in COMMANDS:
        app.command()(command)
    app.add_typer(keys)
