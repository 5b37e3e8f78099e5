"""Who comes with an access token: the person who let the app in, as far as the scope goes."""

from datetime import datetime

from django.db.models import OuterRef, Subquery

from visual_review.accounts.callers import USE_NOTED_EVERY, Caller
from visual_review.accounts.models import AccessToken, Grant, Membership
from visual_review.accounts.oauth.clients import client_of
from visual_review.accounts.oauth.resource import is_ours
from visual_review.accounts.oauth.scopes import both, permissions_in
from visual_review.accounts.permissions import PUBLISHED, permissions_of
from visual_review.accounts.secrets import digest
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError

SIGN_IN_AGAIN = (
    "The access token is not valid: it has expired, or the app was disconnected. Sign in again "
    "with your MCP client."
)
_ROLE = Membership.objects.filter(
    user=OuterRef("family__grant__user"), organization=OuterRef("family__grant__organization")
).values("role")[:1]


def caller_of_access_token(text: str) -> Caller:
    """The caller behind an access token; raises UnauthenticatedError in the same words for all."""
    tokens = AccessToken.objects.select_related(
        "family__grant__user", "family__grant__application"
    ).annotate(role=Subquery(_ROLE))
    token = tokens.filter(secret_hash=digest(text)).first()
    moment = now()
    if token is None or not _counts(token, moment) or token.role is None:
        raise UnauthenticatedError(SIGN_IN_AGAIN)
    caller = _caller_of(token, token.role)
    _note_use(token.family.grant, moment)
    return caller


def _counts(token: AccessToken, moment: datetime) -> bool:
    family, grant = token.family, token.family.grant
    return (
        token.expires_at > moment
        and family.ended_at is None
        and grant.disconnected_at is None
        and grant.user.is_active
        and is_ours(family.resource)
    )


def _caller_of(token: AccessToken, role: str) -> Caller:
    grant = token.family.grant
    client = client_of(grant.application)
    held = permissions_of(role) & PUBLISHED
    # The person may have taken something back since the token was made.
    allowed = permissions_in(both(token.scope, grant.scope), held)
    return Caller(
        kind="user",
        id=grant.user_id,
        name=str(grant.user),
        organization_id=grant.organization_id,
        permissions=allowed,
        channel="mcp",
        client=client.name,
        client_id=client.client_id,
        grant_id=grant.id,
        withheld=held - allowed,
    )


def _note_use(grant: Grant, moment: datetime) -> None:
    if grant.last_used_at is None or moment - grant.last_used_at > USE_NOTED_EVERY:
        Grant.objects.filter(pk=grant.pk).update(last_used_at=moment)
