"""The headers that authenticate calls to a Git provider."""

import re
from collections.abc import Mapping
from typing import Final, Protocol

from visual_review.hosts.errors import HostAccessError

_TOKEN: Final = re.compile(r"[\x21-\x7e]+")


class Access(Protocol):
    def headers(self) -> Mapping[str, str]:
        """Return the headers of each call; may call the provider and raise provider errors."""
        ...

    def renew(self) -> bool:
        """Return whether there are new headers to try, after the provider rejected the old ones."""
        ...


class TokenAccess:
    """A token in one header, after ``prefix``; there is no other one to try."""

    def __init__(self, name: str, prefix: str, token: str) -> None:
        self._headers = {name: f"{prefix}{validate_token(token)}"}

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def renew(self) -> bool:
        return False


def validate_token(token: str) -> str:
    """Return ``token`` in the form allowed in a header; raises HostAccessError.

    HTTP libraries quote invalid headers in their errors, so the check keeps tokens out of errors.
    """
    stripped = token.strip()
    if not _TOKEN.fullmatch(stripped):
        raise HostAccessError(
            "The token is empty or contains characters that no token has, such as a space or a "
            "line break. Copy it from the Git provider again."
        )
    return stripped
