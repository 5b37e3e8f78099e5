"""Replaces a proxy's IP address by the client's, once for all handlers."""

import logging
from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from visual_review.accounts.client_address import Network, client_address, is_private, is_trusted

FORWARDED_FOR = b"x-forwarded-for"
FORWARDED_PROTO = b"x-forwarded-proto"
# 'Forwarded' (RFC 7239) is not read: a proxy writing the headers above passes on 'Forwarded' as the
# client sent it.
SCHEMES = frozenset({"http", "https"})

logger = logging.getLogger(__name__)


class ClientAddress:
    """Middleware: sets ``scope["client"]`` and ``scope["scheme"]`` from trusted proxies."""

    def __init__(self, app: ASGIApp, trusted: Sequence[Network]) -> None:
        self.app = app
        self.trusted = trusted
        self.warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client and is_trusted(client[0], self.trusted):
            scope = {**scope, **_describe_client(scope, client, self.trusted)}
        elif client and not self.warned and is_private(client[0]):
            self._warn(scope, client[0])
        await self.app(scope, receive, send)

    def _warn(self, scope: Scope, peer: str) -> None:
        """Warn the operator once of a proxy missing from the list."""
        if _values(scope, FORWARDED_FOR):
            self.warned = True
            logger.warning(
                "X-Forwarded-For from %s was ignored: all people behind it count as one client. "
                "If it is your reverse proxy, add it to VISUAL_REVIEW_TRUSTED_PROXIES.",
                peer,
            )


def _describe_client(
    scope: Scope, client: tuple[str, int], trusted: Sequence[Network]
) -> dict[str, object]:
    peer, port = client
    address = client_address(peer, _values(scope, FORWARDED_FOR), trusted)
    schemes = _values(scope, FORWARDED_PROTO)
    scheme = schemes[-1].strip() if schemes else ""
    return {
        # A forwarded client's port is not known.
        "client": (address, port if address == peer else 0),
        "scheme": scheme if scheme in SCHEMES else scope.get("scheme", "http"),
    }


def _values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == wanted]
