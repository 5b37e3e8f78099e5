"""The database of commands that need no storage."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from visual_review.config.commands.installation import places
from visual_review.config.environment import DATABASE_URL
from visual_review.config.startup import check_database, check_variables

Data = Annotated[
    Path | None,
    typer.Option(
        envvar="VISUAL_REVIEW_DATA",
        help="The data folder of 'visual-review up', which may run meanwhile. Without it, "
        "VISUAL_REVIEW_DATABASE_URL says which database to use.",
    ),
]


@contextmanager
def database(data: Path | None) -> Iterator[None]:
    """Set the environment to the database for the block; raises StartupError."""
    if data is not None:
        with places(data, new=False):
            yield
        return
    check_variables([DATABASE_URL])
    check_database()
    yield
