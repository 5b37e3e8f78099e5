"""Options that several commands share."""

from typing import Annotated

import typer

Host = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_HOST",
        help="The address to listen at; 0.0.0.0 for all of the machine.",
    ),
]
Port = Annotated[int, typer.Option(envvar="VISUAL_REVIEW_PORT", help="The port to listen at.")]
OwnerEmail = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_OWNER_EMAIL",
        help="Make the first owner with this address instead of printing a one-time link.",
    ),
]
OwnerPassword = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_OWNER_PASSWORD",
        help="The first owner's password; better given by the variable, which nobody else sees.",
    ),
]
OwnerOrganization = Annotated[
    str,
    typer.Option(
        envvar="VISUAL_REVIEW_OWNER_ORGANIZATION", help="The name of the first organization."
    ),
]
