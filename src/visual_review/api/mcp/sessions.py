"""Session ids of older protocol versions, with only the client's name and version.

Older versions name the client once, in the handshake. From then on the client sends the signed
identity, so the service stores nothing and any web process can handle any request.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.core import signing

from visual_review.accounts.oauth.client_rules import shown_name
from visual_review.api.mcp.protocol import CLIENT_MEMBER
from visual_review.api.user_agents import VERSION_LENGTH, ClientIdentity, product_of

UNKNOWN: Final = "an MCP client"
# Names of HTTP libraries say nothing about the client.
LIBRARIES: Final = frozenset(
    {"axios", "bun", "curl", "deno", "go-http-client", "httpx", "mozilla", "node", "node-fetch"}
    | {"okhttp", "python-httpx", "python-httpx2", "python-requests", "reqwest", "undici"}
)


def identify_client(
    message: Mapping[str, Any], session: ClientIdentity, user_agent: str
) -> ClientIdentity:
    """Return the client named in the message, else in its ``session``, else by its user agent."""
    announced = _announced(message)
    if announced.name:
        return announced
    return session if session.name else _product(user_agent)


def _announced(message: Mapping[str, Any]) -> ClientIdentity:
    # Newer protocol versions name the client in each message, older ones only in the handshake.
    handshake = message.get("method") == "initialize"
    found: object = message.get("params")
    for key in ("clientInfo",) if handshake else ("_meta", CLIENT_MEMBER):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return ClientIdentity()
    names = [found.get("title"), found.get("name")]
    name = next(filter(None, (shown_name(name) for name in names if isinstance(name, str))), "")
    version = found.get("version")
    shown = shown_name(version)[:VERSION_LENGTH] if isinstance(version, str) else ""
    return ClientIdentity(name, shown)


def _product(user_agent: str) -> ClientIdentity:
    product = product_of(user_agent)
    is_named = product.name and product.name.lower() not in LIBRARIES
    return product if is_named else ClientIdentity(UNKNOWN)


HEADER: Final = "mcp-session-id"
_SALT: Final = "visual_review.mcp.session"


def session_of(client: ClientIdentity) -> str:
    """Return the session id for a client."""
    return signing.dumps(list(client), salt=_SALT)


def client_in(session: str) -> ClientIdentity:
    """Return the client in a session id; empty for a foreign id, which does not end the session."""
    try:
        found = signing.loads(session, salt=_SALT)
    except signing.BadSignature:
        return ClientIdentity()
    return ClientIdentity(*found)
