"""Options shared by several commands."""

from typing import Annotated

import typer

Host = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_HOST",
        help="IP address to listen on; 0.0.0.0 for all interfaces.",
    ),
]
Port = Annotated[int, typer.Option(envvar="VISUAL_REVIEW_PORT", help="Port to listen on.")]
PublicUrl = Annotated[
    str,
    typer.Option(envvar="VISUAL_REVIEW_PUBLIC_URL", help="URL at which people reach the service."),
]
OwnerEmail = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_OWNER_EMAIL",
        help="Create the first owner with this email address instead of printing a one-time link.",
    ),
]
OwnerPassword = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_OWNER_PASSWORD",
        help="Password of the first owner; use the variable, as other users can read arguments.",
    ),
]
OwnerOrganization = Annotated[
    str,
    typer.Option(envvar="VISUAL_REVIEW_OWNER_ORGANIZATION", help="Name of the first organization."),
]
