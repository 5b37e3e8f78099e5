"""By which headers a host knows us."""

import re
from collections.abc import Mapping
from typing import Final, Protocol

from visual_review.hosts.errors import HostAccessError

_TOKEN: Final = re.compile(r"[\x21-\x7e]+")


class Access(Protocol):
    def headers(self) -> Mapping[str, str]:
        """What goes with each call; may itself ask the host, and raise its errors."""
        ...

    def renew(self) -> bool:
        """Called when the host knows us no more: whether there are new headers to try."""
        ...


class TokenAccess:
    """A token in one header, ``prefix`` and all; there is no other one to try."""

    def __init__(self, name: str, prefix: str, token: str) -> None:
        self._headers = {name: f"{prefix}{checked_token(token)}"}

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def renew(self) -> bool:
        return False


def checked_token(token: str) -> str:
    """``token`` as it can stand in a header; raises HostRefusedError.

    Libraries quote a header they cannot send in their errors, so it never comes to that.
    """
    stripped = token.strip()
    if not _TOKEN.fullmatch(stripped):
        raise HostAccessError(
            "The token is empty, or holds characters no token has, a space or a line break say. "
            "Copy it from the host again."
        )
    return stripped
