"""The name that a client gives itself; pure. It is a claim and proves nothing."""

import re
from collections.abc import Mapping
from typing import Any, Final

from visual_review.accounts.oauth.client_rules import NAME_LENGTH, shown_name
from visual_review.api.mcp.protocol import CLIENT_MEMBER

UNKNOWN: Final = "an MCP client"
# Names of HTTP libraries say nothing about the client that uses them.
LIBRARIES: Final = frozenset(
    {"axios", "bun", "curl", "deno", "go-http-client", "httpx", "mozilla", "node", "node-fetch"}
    | {"okhttp", "python-httpx", "python-httpx2", "python-requests", "reqwest", "undici"}
)
_PRODUCT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]*")


def client_of(message: Mapping[str, Any], session: str, user_agent: str) -> str:
    """Return the client's name from the message, its ``session``, or its user agent."""
    return _announced(message) or session or _product(user_agent) or UNKNOWN


def _announced(message: Mapping[str, Any]) -> str:
    # Newer protocol versions name the client in each message, older ones only in the handshake.
    handshake = message.get("method") == "initialize"
    found: object = message.get("params")
    for key in ("clientInfo",) if handshake else ("_meta", CLIENT_MEMBER):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return ""
    names = [found.get("title"), found.get("name")]
    return next(filter(None, (shown_name(name) for name in names if isinstance(name, str))), "")


def _product(user_agent: str) -> str:
    found = _PRODUCT.match(user_agent)
    name = found.group().strip()[:NAME_LENGTH] if found else ""
    return "" if name.lower() in LIBRARIES else name
