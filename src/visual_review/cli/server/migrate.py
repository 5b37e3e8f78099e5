"""``visual-review migrate``: creates the database tables or migrates them."""

import typer

from visual_review.cli.server.messages import as_message
from visual_review.cli.server.options import OwnerEmail, OwnerOrganization, OwnerPassword
from visual_review.config.boot import load
from visual_review.config.environment import DATABASE_URL
from visual_review.config.startup import check_database, check_variables


def migrate(
    owner_email: OwnerEmail = "",
    owner_password: OwnerPassword = "",
    owner_organization: OwnerOrganization = "",
) -> None:
    """Migrate the database; run it before the first start and with each upgrade."""
    with as_message():
        check_variables([DATABASE_URL])
        check_database()
        make_owner = load("visual_review.config.commands.migrate.parse_owner_options")
        owner = make_owner(owner_email, owner_password, owner_organization)
        link = load("visual_review.config.commands.migrate.migrate")(owner)
        if link:
            typer.echo(f"Open this link once to create the owner and the organization:\n  {link}")
