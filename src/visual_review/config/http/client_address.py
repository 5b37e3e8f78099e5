"""Replaces the proxy's address of a request by the client's, once for everything behind it."""

from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from visual_review.kernel.client_address import Network, client_address, is_trusted

FORWARDED_FOR = b"x-forwarded-for"
FORWARDED_PROTO = b"x-forwarded-proto"
# 'Forwarded' (RFC 7239) is not read: a proxy that writes the headers above passes it on as the
# client sent it.
SCHEMES = frozenset({"http", "https"})


class ClientAddress:
    """Middleware: sets ``scope["client"]`` and ``scope["scheme"]`` from trusted proxies."""

    def __init__(self, app: ASGIApp, trusted: Sequence[Network]) -> None:
        self.app = app
        self.trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client and is_trusted(client[0], self.trusted):
            scope = {**scope, **_describe_client(scope, client, self.trusted)}
        await self.app(scope, receive, send)


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
