"""Codes and tokens in the database: hashes only, in a family revoked as a whole."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from visual_review.accounts.models import AccessToken, Grant, Membership, RefreshToken, TokenFamily
from visual_review.accounts.oauth.clients import ClientRow
from visual_review.accounts.oauth.lifetimes import ACCESS_LIFETIME, CODE_LIFETIME, refresh_expiry
from visual_review.accounts.oauth.resource import is_ours, resource
from visual_review.accounts.secrets import ACCESS_TOKEN, REFRESH_TOKEN, digest, new_secret
from visual_review.kernel.clock import now

# A request of the untyped OAuth library.
Request = Any


def new_access_token(_request: Request) -> str:
    return new_secret(ACCESS_TOKEN).text


def new_refresh_token(_request: Request) -> str:
    return new_secret(REFRESH_TOKEN).text


def create_family(
    grant: Grant, code: str, scope: str, redirect_uri: str, challenge: str
) -> TokenFamily:
    moment = now()
    return TokenFamily.objects.create(
        grant=grant,
        scope=scope,
        resource=resource(),
        redirect_uri=redirect_uri,
        code_hash=digest(code),
        code_challenge=challenge,
        created_at=moment,
        code_expires_at=moment + CODE_LIFETIME,
    )


def find_family_by_code(code: str, application: ClientRow) -> TokenFamily | None:
    """Return the family of a client's code, locked until the transaction ends."""
    families = _locked(application)
    return families.filter(code_hash=digest(code)).first()


def find_refresh_token(text: str, application: ClientRow) -> RefreshToken | None:
    """Return a client's refresh token; its family is locked until the transaction ends."""
    family = _locked(application).filter(refresh_tokens__secret_hash=digest(text)).first()
    if family is None:
        return None
    # Read after taking the lock, to see the changes of a concurrent refresh.
    token = RefreshToken.objects.get(secret_hash=digest(text))
    token.family = family
    return token


def _locked(application: ClientRow) -> QuerySet[TokenFamily]:
    families = TokenFamily.objects.select_for_update(of=("self",)).select_related("grant__user")
    return families.filter(grant__application=application)


def store_tokens(family: TokenFamily, access: str, refresh: str, scope: str) -> None:
    moment = now()
    AccessToken.objects.create(
        family=family,
        secret_hash=digest(access),
        scope=scope,
        created_at=moment,
        expires_at=moment + ACCESS_LIFETIME,
    )
    RefreshToken.objects.create(
        family=family,
        secret_hash=digest(refresh),
        created_at=moment,
        expires_at=refresh_expiry(family.created_at, moment),
    )


def end_family(family: TokenFamily, moment: datetime) -> bool:
    """Revoke all tokens of ``family``; return False if revoked before."""
    return bool(TokenFamily.objects.filter(pk=family.pk, ended_at=None).update(ended_at=moment))


def is_alive(family: TokenFamily) -> bool:
    """Whether the family's tokens are valid: not revoked, and the person is still a member."""
    grant = family.grant
    if family.ended_at is not None or grant.disconnected_at is not None:
        return False
    if not grant.user.is_active or not is_ours(family.resource):
        return False
    return Membership.objects.filter(
        user=grant.user, organization_id=grant.organization_id
    ).exists()
