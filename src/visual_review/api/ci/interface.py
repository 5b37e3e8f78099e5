"""The version of the CI interface, so that an outdated client gets an error at once.

The version grows with a change unsupported by older clients or servers; a new field that older
clients ignore is no such change.
"""

from typing import Final

from django.conf import settings

from visual_review.actions.schema import ActionResult
from visual_review.kernel.errors import InvalidInputError

VERSION: Final = 4
OLDEST_CLIENT: Final = 2
HEADER: Final = "Visual-Review-Interface"


class Interface(ActionResult):
    """The server's version, and the oldest one of clients that it accepts."""

    version: int
    oldest_client: int


def current_interface() -> Interface:
    return Interface(version=VERSION, oldest_client=OLDEST_CLIENT)


def require_accepted_client(header: str | None) -> None:
    """Raise InvalidInputError for an outdated client; other programs send no header."""
    if header is None:
        return
    version = int(header) if header.isascii() and header.isdigit() else 1
    if version < OLDEST_CLIENT:
        raise InvalidInputError(
            f"This client has version {version} of the CI interface, the server accepts {OLDEST_CLIENT} "
            f"and later. Install the client that fits the server: {settings.PUBLIC_URL}/client/."
        )
