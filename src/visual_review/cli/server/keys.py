"""``visual-review keys``: create, list and revoke API keys on the server's own machine."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from visual_review.cli.server.databases import Data, database
from visual_review.cli.server.messages import as_message
from visual_review.client.terminal import printable
from visual_review.config.boot import load

MODULE = "visual_review.config.commands.keys"
UNLIMITED = 1000

keys = typer.Typer(
    name="keys", help="Create, list and revoke API keys on this machine.", no_args_is_help=True
)

OrganizationName = Annotated[
    str, typer.Option(help="Name or ID of the organization; not needed if there is only one.")
]


@keys.command()
def create(  # noqa: PLR0913 - Typer makes one option of each argument.
    name: Annotated[str, typer.Option(help="Name of the key: what will use it.")],
    *,
    user: Annotated[
        str, typer.Option(help="Email address of the person the key acts as, with their role.")
    ] = "",
    organization_scoped: Annotated[
        bool, typer.Option("--organization-scoped", help="Create a key of the organization itself.")
    ] = False,
    organization: OrganizationName = "",
    permission: Annotated[
        list[str] | None,
        typer.Option(help="A permission, such as builds:view; repeatable."),
    ] = None,
    expires_days: Annotated[
        int | None, typer.Option(help="Days until the key expires. Default: never.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")] = False,
    data: Data = None,
) -> None:
    """Create a key and print it; it is shown only once."""
    if bool(user) == organization_scoped:
        raise typer.BadParameter("Pass either --user EMAIL or --organization-scoped.")
    with as_message(), database(data):
        request = load(f"{MODULE}.CreateKey")(
            name, user, organization, tuple(permission or ()), expires_days
        )
        key = load(f"{MODULE}.create")(request)
    if not quiet:
        # Only the key goes to stdout, so that a script can use the output.
        typer.echo("The key, shown only this once:", err=True)
    typer.echo(key)


@keys.command("list")
def list_keys(organization: OrganizationName = "", data: Data = None) -> None:
    """List the keys that are valid now, without their secrets."""
    with as_message(), database(data):
        rows = load(f"{MODULE}.list_live_keys")(organization)
    table = Table("ID", "Name", "Key", "Owner", "Permissions", "Expires", "Last used", box=None)
    for row in rows:
        cells = (
            row.id,
            row.name,
            row.hint,
            row.owner,
            row.permissions,
            row.expires,
            row.last_used,
        )
        # Members choose the names, the operator's terminal shows them.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    # IDs must not be wrapped, so that they can be copied from a narrow terminal.
    Console(width=UNLIMITED).print(table)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="ID of the key, from 'keys list'.")],
    organization: OrganizationName = "",
    data: Data = None,
) -> None:
    """Revoke a key; it stops working immediately."""
    with as_message(), database(data):
        name = load(f"{MODULE}.revoke")(key_id, organization)
    typer.echo(f"The key '{printable(name)}' was revoked.")
