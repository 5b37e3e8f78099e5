"""The name and version that a client gives itself; pure. They are a claim and prove nothing."""

from collections.abc import Mapping
from typing import Any, Final

from visual_review.accounts.oauth.client_rules import shown_name
from visual_review.api.mcp.protocol import CLIENT_MEMBER
from visual_review.api.user_agents import VERSION_LENGTH, ClientIdentity, product_of

UNKNOWN: Final = "an MCP client"
# Names of HTTP libraries say nothing about the client that uses them.
LIBRARIES: Final = frozenset(
    {"axios", "bun", "curl", "deno", "go-http-client", "httpx", "mozilla", "node", "node-fetch"}
    | {"okhttp", "python-httpx", "python-httpx2", "python-requests", "reqwest", "undici"}
)


def identify_client(
    message: Mapping[str, Any], session: ClientIdentity, user_agent: str
) -> ClientIdentity:
    """Return the client as the message names it, else its ``session``, else its user agent."""
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
