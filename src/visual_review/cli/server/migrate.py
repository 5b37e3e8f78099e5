"""``visual-review migrate``: creates the database tables or migrates them."""

from pathlib import Path
from typing import Annotated

import typer

from visual_review.cli.server.messages import as_message
from visual_review.cli.server.options import OwnerEmail, OwnerOrganization, OwnerPassword
from visual_review.config.boot import load
from visual_review.config.environment import BACKUPS, DATABASE_URL
from visual_review.config.first_owner import parse_owner_options
from visual_review.config.startup import (
    check_database,
    check_variables,
    use_direct_database,
)

Backups = Annotated[
    Path | None,
    typer.Option(
        envvar=BACKUPS,
        metavar="DIR",
        help="Back up the database to this folder before an upgrade; 'up' does so by itself.",
    ),
]


def migrate(
    owner_email: OwnerEmail = "",
    owner_password: OwnerPassword = "",
    owner_organization: OwnerOrganization = "",
    backups: Backups = None,
) -> None:
    """Migrate the database; run it before the first start and with each upgrade."""
    with as_message():
        check_variables([DATABASE_URL])
        use_direct_database()
        check_database()
        owner = parse_owner_options(owner_email, owner_password, owner_organization)
        link = load("visual_review.config.commands.migrate.migrate")(owner, backups, _report)
        if link:
            typer.echo(f"Open this link once to create the owner and the organization:\n  {link}")


def _report(text: str) -> None:
    # Only the setup link goes to stdout.
    typer.echo(f"visual-review: {text}", err=True)
