"""``visual-review rotate-key``: encrypts stored secrets again with the newest key."""

import os

import typer

from visual_review.cli.server.backup import Data
from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load
from visual_review.config.commands.installation import use_installation
from visual_review.config.environment import DATABASE_URL, SECRET_KEY
from visual_review.config.standalone.data_folder import secret_key
from visual_review.config.startup import check_database, check_variables


def rotate_key(data: Data = None) -> None:
    """Re-encrypt stored secrets with the newest key of VISUAL_REVIEW_SEALING_KEYS; repeatable."""
    with as_message():
        if data is None:
            check_variables([DATABASE_URL, SECRET_KEY])
            check_database()
            typer.echo(load("visual_review.config.commands.rotate_key.rotate_key")())
            return
        with use_installation(data, new=False):
            # The service of this folder uses its own key, whatever the environment says.
            os.environ[SECRET_KEY] = secret_key(data)
            typer.echo(load("visual_review.config.commands.rotate_key.rotate_key")())
