"""Session ids of the older protocol, which hold the client's name and nothing else.

That protocol names the client once, in its handshake. The client carries the name from there on,
signed, so nothing is kept here and any web process answers any request.
"""

from typing import Final

from django.core import signing

HEADER: Final = "mcp-session-id"
_SALT: Final = "visual_review.mcp.session"


def session_of(client: str) -> str:
    """The id for a client of this name."""
    return signing.dumps(client, salt=_SALT)


def client_in(session: str) -> str:
    """The name in an id of ours; empty for any other, which is no reason to begin anew."""
    try:
        name = signing.loads(session, salt=_SALT)
    except signing.BadSignature:
        return ""
    return name if isinstance(name, str) else ""
