"""Session ids of older protocol versions, which contain only the client's name.

These versions name the client once, in the handshake. From then on the client sends the signed
name, so nothing is stored here and any web process can handle any request.
"""

from typing import Final

from django.core import signing

HEADER: Final = "mcp-session-id"
_SALT: Final = "visual_review.mcp.session"


def session_of(client: str) -> str:
    """Return the session id for a client of this name."""
    return signing.dumps(client, salt=_SALT)


def client_in(session: str) -> str:
    """Return the name in a session id; empty if it is not ours, which does not end the session."""
    try:
        name = signing.loads(session, salt=_SALT)
    except signing.BadSignature:
        return ""
    return name if isinstance(name, str) else ""
