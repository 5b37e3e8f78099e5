"""The program sending a request, by its own claim, which proves nothing; pure."""

import re
from typing import Final, NamedTuple

from visual_review.accounts.oauth.client_rules import NAME_LENGTH

VERSION_LENGTH: Final = 40
_PRODUCT: Final = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._ -]*)(?:/(?P<version>[A-Za-z0-9][A-Za-z0-9._+-]*))?"
)


class ClientIdentity(NamedTuple):
    """A program's name and version, each empty if unknown."""

    name: str = ""
    version: str = ""


def product_of(user_agent: str) -> ClientIdentity:
    """Return the first product of a User-Agent: ``Cursor/1.7 (darwin)`` is Cursor, 1.7."""
    found = _PRODUCT.match(user_agent)
    if found is None:
        return ClientIdentity()
    version = found["version"] or ""
    return ClientIdentity(found["name"].strip()[:NAME_LENGTH], version[:VERSION_LENGTH])
