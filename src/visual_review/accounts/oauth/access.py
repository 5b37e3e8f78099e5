"""Resolves an access token to its caller: the person, limited to the scope of the grant."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import AccessToken, Grant, Membership
from visual_review.accounts.oauth.clients import client_named
from visual_review.accounts.oauth.resource import is_ours
from visual_review.accounts.oauth.scopes import intersect_scopes, permissions_in
from visual_review.accounts.permissions import PUBLISHED, permissions_of
from visual_review.accounts.person_names import name_or_email
from visual_review.accounts.secrets import digest, record_use
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError

SIGN_IN_AGAIN = (
    "The access token is not valid: it has expired, or the app was disconnected. Sign in again "
    "with your MCP client."
)
_ROLE = Membership.objects.filter(
    user=OuterRef("family__grant__user"), organization=OuterRef("family__grant__organization")
).values("role")[:1]
_GRANT = "family__grant__"
_CLIENT, _PERSON = f"{_GRANT}application__", f"{_GRANT}user__"
_COLUMNS = (
    "scope",
    "expires_at",
    "family__ended_at",
    "family__resource",
    "family__grant_id",
    f"{_GRANT}scope",
    f"{_GRANT}organization_id",
    f"{_GRANT}last_used_at",
    f"{_GRANT}disconnected_at",
    f"{_GRANT}user_id",
    f"{_PERSON}is_active",
    "role",
    f"{_CLIENT}client_id",
    f"{_CLIENT}name",
    f"{_CLIENT}registration_source",
    f"{_PERSON}name",
    f"{_PERSON}email",
)


@dataclass(frozen=True)
class _TokenRow:
    """A token with its grant, person and client, in the order of the query."""

    scope: str
    expires_at: datetime
    ended_at: datetime | None
    resource: str
    grant_id: str
    granted: str
    organization_id: str
    last_used_at: datetime | None
    disconnected_at: datetime | None
    user_id: str
    is_active: bool
    role: str | None
    client_id: str
    client_name: str
    client_source: str
    name: str
    email: str

    def is_valid(self, moment: datetime) -> bool:
        ended = self.ended_at is not None or self.disconnected_at is not None
        present = self.is_active and self.role is not None
        return not ended and present and self.expires_at > moment and is_ours(self.resource)


def _find_token(secret_hash: str) -> _TokenRow | None:
    # Every call reads the token, and one query is enough.
    rows = AccessToken.objects.annotate(role=Subquery(_ROLE)).filter(secret_hash=secret_hash)
    # The hash is unique.
    return next((_TokenRow(*columns) for columns in rows.values_list(*_COLUMNS)), None)


def caller_of_access_token(text: str) -> Caller:
    """Return the caller of an access token; raises UnauthenticatedError, always the same."""
    found, moment = _find_token(digest(text)), now()
    if found is None or not found.is_valid(moment):
        raise UnauthenticatedError(SIGN_IN_AGAIN)
    record_use(Grant, found.grant_id, found.last_used_at, moment)
    return _caller_of(found)


def _caller_of(found: _TokenRow) -> Caller:
    held = permissions_of(found.role or "") & PUBLISHED
    # The person may have reduced the scope since the token was issued.
    allowed = permissions_in(intersect_scopes(found.scope, found.granted), held)
    client = client_named(found.client_id, found.client_name, found.client_source)
    return Caller(
        kind="user",
        id=found.user_id,
        name=name_or_email(found.name, found.email),
        organization_id=found.organization_id,
        permissions=allowed,
        channel="mcp",
        client=client.name,
        client_id=client.client_id,
        grant_id=found.grant_id,
        withheld=held - allowed,
    )
