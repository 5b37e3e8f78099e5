"""``visual-review retention``: what is past its time goes now, or is only shown."""

from typing import Annotated

import typer

from visual_review.cli.server.backup import Data
from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load
from visual_review.config.commands.installation import places

MODULE = "visual_review.config.commands.retention"


def retention(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would go, and delete nothing.")
    ] = False,
    data: Data = None,
) -> None:
    """Delete what is kept longer than the settings say; the worker does it every night."""
    with as_message(), places(data, new=False):
        if not dry_run:
            typer.echo(load(f"{MODULE}.run")())
            return
        for line in load(f"{MODULE}.planned")():
            typer.echo(line)
