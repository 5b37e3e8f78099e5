"""``visual-review jobs``: failed background jobs, and running them again."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from visual_review.cli.server.databases import Data, database
from visual_review.cli.server.messages import as_message
from visual_review.client.terminal import printable
from visual_review.config.boot import load

MODULE = "visual_review.config.commands.jobs"
UNLIMITED = 1000

jobs = typer.Typer(
    name="jobs", help="List failed background jobs, and run them again.", no_args_is_help=True
)


@jobs.command("list")
def list_jobs(data: Data = None) -> None:
    """List the jobs that failed after all of their attempts, the newest first."""
    with as_message(), database(data):
        rows = load(f"{MODULE}.list_failed")()
    if not rows:
        typer.echo("No job has failed.", err=True)
        return
    table = Table("Number", "Job", "For", "Failed", "Reason", box=None)
    for row in rows:
        subject = " ".join(f"{name}={value}" for name, value in row.arguments.items())
        cells = (str(row.id), row.name, subject, f"{row.failed_at:%Y-%m-%d %H:%M}", row.reason)
        # Reasons may quote names chosen by members.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console(width=UNLIMITED).print(table)


@jobs.command("run-again")
def run_again(
    numbers: Annotated[
        list[int] | None, typer.Argument(help="Numbers of failed jobs, from 'jobs list'.")
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Run all failed jobs again.")] = False,
    data: Data = None,
) -> None:
    """Put failed jobs back into their queues, with all of their attempts."""
    if bool(numbers) == every:
        raise typer.BadParameter("Pass either the numbers of jobs or --all.")
    with as_message(), database(data):
        count = load(f"{MODULE}.run_again")(numbers or [])
    typer.echo(f"{count} job{'s run' if count != 1 else ' runs'} again.")
