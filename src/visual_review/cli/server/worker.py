"""``visual-review worker``: one worker for a given database and storage."""

from typing import Annotated

import typer

from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load
from visual_review.config.environment import DATABASE_URL, SECRET_KEY, STORAGE_URL
from visual_review.config.standalone import privileges
from visual_review.config.startup import check_variables


def worker(
    concurrency: Annotated[
        int | None,
        typer.Option(
            envvar="VISUAL_REVIEW_WORKER_CONCURRENCY",
            min=1,
            help="Number of builds processed at a time. Default: one for each core that the "
            "worker may use.",
        ),
    ] = None,
    recordings: Annotated[
        int,
        typer.Option(
            envvar="VISUAL_REVIEW_WORKER_RECORDINGS",
            min=0,
            help="Number of recordings processed at a time, of different organizations. With 0, "
            "another worker must process them.",
        ),
    ] = 2,
    *,
    alone: Annotated[
        bool,
        typer.Option(
            "--alone",
            help="No other worker uses this database: rescue interrupted jobs immediately.",
        ),
    ] = False,
) -> None:
    """Run background jobs; start as many of these processes as you need."""
    with as_message():
        check_variables([DATABASE_URL, STORAGE_URL, SECRET_KEY])
        privileges.give_up_root()
        privileges.harden()
        load("visual_review.config.schema_version.check_all")()
        load("visual_review.config.commands.worker.run")(concurrency, recordings, alone=alone)
