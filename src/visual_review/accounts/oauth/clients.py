"""OAuth clients: registered, or described by a document at their client ID."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from oauth2_provider import cimd
from oauth2_provider.models import Application

from visual_review.accounts.oauth.client_rules import UNNAMED, ClientMetadata
from visual_review.kernel.clock import now
from visual_review.kernel.ids import new_id

# A row of the untyped toolkit.
ClientRow = Any
ID_LENGTH: Final = 255
# A client keeps its registration, even if its user takes weeks to sign in.
UNUSED_CLIENT_LIFETIME: Final = timedelta(days=30)


@dataclass(frozen=True)
class Client:
    """A client in the form shown to users.

    ``host`` is the host of the client's metadata document; no other client can claim the host.
    ``host`` is empty for a client with a registration of its own and an unverified name.
    """

    client_id: str
    name: str
    host: str


def client_of(application: ClientRow) -> Client:
    return client_named(application.client_id, application.name, application.registration_source)


def client_named(client_id: str, name: str, source: str) -> Client:
    """Return a client from the columns of its row."""
    described = source == Application.RegistrationSource.CIMD
    host = urlsplit(client_id).hostname if described else ""
    return Client(client_id, name or UNNAMED, host or "")


def stored_client(client_id: str | None) -> ClientRow:
    """Return the row of a client, or None."""
    # PostgreSQL rejects text with a zero byte.
    if not client_id or len(client_id) > ID_LENGTH or not client_id.isprintable():
        return None
    return Application.objects.filter(client_id=client_id).first()


def find_client(client_id: str | None) -> ClientRow:
    """Return the row of a client or None; fetches the client's document if new or stale.

    Makes network requests: never call in a transaction.
    """
    known = stored_client(client_id)
    if known is not None:
        return cimd.refresh_if_stale(known, request=None)
    if not client_id or len(client_id) > ID_LENGTH or not client_id.isprintable():
        return None
    return cimd.resolve_cimd_application(client_id, request=None)


def register(metadata: ClientMetadata) -> ClientRow:
    return Application.objects.create(
        client_id=new_id("client"),
        name=metadata.name,
        redirect_uris=" ".join(metadata.redirects),
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        # No secret: hashing an unused one would only slow down the registration.
        client_secret="",
        hash_client_secret=False,
        registration_source=Application.RegistrationSource.DCR,
    )


def delete_unused_clients() -> int:
    """Delete clients without a grant; they can register again."""
    unused = Application.objects.filter(updated__lt=now() - UNUSED_CLIENT_LIFETIME, grants=None)
    deleted: int = unused.delete()[0]
    return deleted
