"""``visual-review keys``: make, list and revoke API keys on the service's own machine."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from visual_review.cli.server.databases import Data, database
from visual_review.cli.server.messages import as_message
from visual_review.config.boot import load

MODULE = "visual_review.config.commands.keys"
UNLIMITED = 1000

keys = typer.Typer(
    name="keys", help="Make, list and revoke API keys on this machine.", no_args_is_help=True
)

OrganizationName = Annotated[
    str, typer.Option(help="Its name or id; not needed where there is only one.")
]


@keys.command()
def create(  # noqa: PLR0913 - Typer makes one option of each argument.
    name: Annotated[str, typer.Option(help="What uses the key, such as a machine or program.")],
    *,
    user: Annotated[
        str, typer.Option(help="The address of the person whose key it is, with their role.")
    ] = "",
    organization_scoped: Annotated[
        bool, typer.Option("--organization-scoped", help="A key of the organization itself.")
    ] = False,
    organization: OrganizationName = "",
    permission: Annotated[
        list[str] | None,
        typer.Option(help="One permission, such as builds:view; may be given several times."),
    ] = None,
    expires_days: Annotated[
        int | None, typer.Option(help="Days until it ends; without it, it lasts until revoked.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")] = False,
    data: Data = None,
) -> None:
    """Make a key and print it, once."""
    if bool(user) == organization_scoped:
        raise typer.BadParameter("Give either --user ADDRESS or --organization-scoped.")
    with as_message(), database(data):
        wish = load(f"{MODULE}.KeyWish")(
            name, user, organization, tuple(permission or ()), expires_days
        )
        key = load(f"{MODULE}.create")(wish)
    if not quiet:
        # The output holds the key alone, so that a script can take it as it is.
        typer.echo("The key, shown this once:", err=True)
    typer.echo(key)


@keys.command("list")
def list_keys(organization: OrganizationName = "", data: Data = None) -> None:
    """Show the keys that are accepted now; never their secrets."""
    with as_message(), database(data):
        lines = load(f"{MODULE}.live_keys")(organization)
    table = Table("Id", "Name", "Key", "Whose", "Permissions", "Ends", "Last used", box=None)
    for line in lines:
        table.add_row(
            line.id,
            line.name,
            line.hint,
            line.whose,
            line.permissions,
            line.ends,
            line.last_used,
        )
    # Ids must stay whole to be copied, however narrow the terminal is.
    Console(width=UNLIMITED).print(table)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, from 'keys list'.")],
    organization: OrganizationName = "",
    data: Data = None,
) -> None:
    """End a key at once."""
    with as_message(), database(data):
        name = load(f"{MODULE}.revoke")(key_id, organization)
    typer.echo(f"The key '{name}' was revoked.")
