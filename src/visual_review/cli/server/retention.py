"""``visual-review retention``: deletes expired items now, or only lists them."""

from typing import Annotated

import typer

from visual_review.cli.server.backup import Data
from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load
from visual_review.config.commands.installation import use_installation

MODULE = "visual_review.config.commands.retention"


def retention(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be deleted, but delete nothing.")
    ] = False,
    data: Data = None,
) -> None:
    """Delete what has passed its retention period; the worker does this every night."""
    with as_message(), use_installation(data, new=False):
        if not dry_run:
            typer.echo(load(f"{MODULE}.run")())
            return
        for line in load(f"{MODULE}.list_planned_deletions")():
            typer.echo(line)
