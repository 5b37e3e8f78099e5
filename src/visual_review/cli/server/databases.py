"""The database, for commands without storage."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from visual_review.config.commands.installation import use_installation
from visual_review.config.environment import DATABASE_URL
from visual_review.config.startup import check_database, check_variables

Data = Annotated[
    Path | None,
    typer.Option(
        envvar="VISUAL_REVIEW_DATA",
        help="The data folder of 'visual-review up', which may be running. Without it, "
        "VISUAL_REVIEW_DATABASE_URL is used.",
    ),
]


@contextmanager
def database(data: Path | None) -> Iterator[None]:
    """Point the environment to the database within the block. Raises StartupError."""
    if data is not None:
        with use_installation(data, new=False):
            yield
        return
    check_variables([DATABASE_URL])
    check_database()
    yield
