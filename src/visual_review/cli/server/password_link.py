"""``visual-review password-link``: lets a person choose a new password."""

import os
from typing import Annotated

import typer

from visual_review.cli.server.databases import Data, database
from visual_review.cli.server.messages import as_message
from visual_review.cli.server.options import PublicUrl
from visual_review.config.boot import load
from visual_review.config.environment import PUBLIC_URL, SECRET_KEY
from visual_review.config.standalone.data_folder import secret_key
from visual_review.config.startup import check_variables


def password_link(
    email: Annotated[str, typer.Argument(help="Email address of the account.")],
    *,
    remove_factors: Annotated[
        bool, typer.Option(help="Remove their second factors, too, if they lost them.")
    ] = False,
    public_url: PublicUrl = "",
    data: Data = None,
) -> None:
    """Print a one-time link with which a person can choose a new password, valid for 24 hours."""
    with as_message(), database(data):
        if data is None:
            check_variables([SECRET_KEY])
        else:
            # The link is signed; the service of this folder uses its own key.
            os.environ[SECRET_KEY] = secret_key(data)
        if public_url:
            os.environ[PUBLIC_URL] = public_url
        link = load("visual_review.config.commands.password_link.create")(
            email, remove_factors=remove_factors
        )
    typer.echo("Pass it on over a channel you trust. It works once, for 24 hours:", err=True)
    typer.echo(link)
