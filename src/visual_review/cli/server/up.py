"""``visual-review up``: the whole service on this machine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from visual_review.cli.server.messages import as_message
from visual_review.cli.server.options import (
    Host,
    OwnerEmail,
    OwnerOrganization,
    OwnerPassword,
    Port,
)
from visual_review.config.first_owner import parse_owner_options
from visual_review.config.standalone.supervisor import Supervisor


def up(  # noqa: PLR0913 - Each option is a parameter.
    *,
    data: Annotated[
        Path,
        typer.Option(envvar="VISUAL_REVIEW_DATA", help="Folder for the database, images and keys."),
    ] = Path("visual-review-data"),
    host: Host = "127.0.0.1",
    port: Port = 8000,
    public_url: Annotated[
        str,
        typer.Option(
            envvar="VISUAL_REVIEW_PUBLIC_URL", help="URL at which people and CI reach the service."
        ),
    ] = "",
    owner_email: OwnerEmail = "",
    owner_password: OwnerPassword = "",
    owner_organization: OwnerOrganization = "",
) -> None:
    """Run the whole service: its own database, the web process and a worker."""
    # Passed to the migration in the environment: other users can read a command's arguments.
    os.environ["VISUAL_REVIEW_OWNER_EMAIL"] = owner_email
    os.environ["VISUAL_REVIEW_OWNER_PASSWORD"] = owner_password
    os.environ["VISUAL_REVIEW_OWNER_ORGANIZATION"] = owner_organization
    with as_message():
        # Before anything starts, also where an owner exists already.
        parse_owner_options(owner_email, owner_password, owner_organization)
        supervisor = Supervisor(data, host, port, public_url.rstrip("/"))
        raise typer.Exit(supervisor.run())
