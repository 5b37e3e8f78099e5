"""``visual-review organizations``: create, list and help organizations on the server's machine."""

import os
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from visual_review.cli.server.databases import Data, database
from visual_review.cli.server.messages import as_message
from visual_review.cli.server.options import PublicUrl
from visual_review.client.terminal import printable
from visual_review.config.boot import load
from visual_review.config.environment import PUBLIC_URL

MODULE = "visual_review.config.commands.organizations"
UNLIMITED = 1000

MOST = 1_000_000_000
Limit = Annotated[int | None, typer.Option(min=0, max=MOST, help="0 for no limit.")]

organizations = typer.Typer(
    name="organizations",
    help="Create and list organizations on this machine.",
    no_args_is_help=True,
)


@organizations.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the organization.")],
    *,
    owner: Annotated[str, typer.Option(help="Email address of its owner.")],
    public_url: PublicUrl = "",
    data: Data = None,
) -> None:
    """Create an organization; print a one-time link if its owner has no account yet."""
    with as_message(), database(data):
        if public_url:
            os.environ[PUBLIC_URL] = public_url
        created = load(f"{MODULE}.create")(name, owner)
    shown = f"'{printable(created.organization.name)}' ({created.organization.id})"
    if not created.link:
        # Names go to stderr like every remark: only a link is output.
        typer.echo(f"{shown} was created. {created.owner} is its owner.", err=True)
        return
    typer.echo(f"{shown} was created. {created.owner} has no account yet.", err=True)
    typer.echo("Pass the link on over a channel you trust. It works once, for 7 days:", err=True)
    typer.echo(created.link)


@organizations.command("allow-passwords")
def allow_passwords(
    organization: Annotated[str, typer.Argument(help="ID of the organization, see `list`.")],
    data: Data = None,
) -> None:
    """Let all members sign in with a password again, where no one can sign in any more."""
    with as_message(), database(data):
        name = load(f"{MODULE}.allow_passwords")(organization)
    typer.echo(f"Members of '{printable(name)}' may sign in with a password again.", err=True)


@organizations.command("set-quota")
def set_quota(
    organization: Annotated[str, typer.Argument(help="ID of the organization, see `list`.")],
    *,
    stored_gb: Limit = None,
    builds_per_day: Limit = None,
    megapixels_per_day: Limit = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Apply the service's limits again, before the others.")
    ] = False,
    data: Data = None,
) -> None:
    """Limit what an organization stores and publishes; without options, show its limits."""
    limits = {
        "stored_gigabytes_limit": stored_gb,
        "builds_limit": builds_per_day,
        "megapixels_limit": megapixels_per_day,
    }
    changed = {name: limit for name, limit in limits.items() if reset or limit is not None}
    with as_message(), database(data):
        typer.echo(printable(load(f"{MODULE}.set_quota")(organization, changed)))


@organizations.command("list")
def list_organizations(data: Data = None) -> None:
    """List the organizations with their owners."""
    with as_message(), database(data):
        rows = load(f"{MODULE}.list_organizations")()
    table = Table("ID", "Name", "Owners", "Members", "Created", box=None)
    for row in rows:
        cells = (row.id, row.name, row.owners, row.members, row.created)
        # Members choose the names, the operator's terminal shows them.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    # IDs must not be wrapped, so that they can be copied from a narrow terminal.
    Console(width=UNLIMITED).print(table)
