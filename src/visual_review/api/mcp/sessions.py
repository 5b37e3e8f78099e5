"""Session ids of older protocol versions, which contain only the client's name and version.

These versions name the client once, in the handshake. From then on the client sends the signed
identity, so nothing is stored here and any web process can handle any request.
"""

from typing import Final

from django.core import signing

from visual_review.api.user_agents import ClientIdentity

HEADER: Final = "mcp-session-id"
_SALT: Final = "visual_review.mcp.session"


def session_of(client: ClientIdentity) -> str:
    """Return the session id for this client."""
    return signing.dumps(list(client), salt=_SALT)


def client_in(session: str) -> ClientIdentity:
    """Return the client in a session id; empty if it is not ours, which does not end the session."""
    try:
        found = signing.loads(session, salt=_SALT)
    except signing.BadSignature:
        return ClientIdentity()
    # Sessions that earlier versions of the service began contain only a name.
    values = [found] if isinstance(found, str) else found
    return ClientIdentity(*values)
