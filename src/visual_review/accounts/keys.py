"""API keys: creating, finding and revoking."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.db.models import Q, QuerySet

from visual_review.accounts.callers import Caller
from visual_review.accounts.key_rules import (
    expiry,
    is_live,
    key_name,
    organization_key_permissions,
    user_key_permissions,
)
from visual_review.accounts.models import ApiKey, User
from visual_review.accounts.permissions import KEYS_MANAGE, permissions_of
from visual_review.accounts.secrets import ORGANIZATION_KEY, USER_KEY, Secret, new_secret
from visual_review.audit.log import Change, Target
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, ForbiddenError, NotFoundError

REVOKED: Final = "api_key.revoked"
Scope = Literal["user", "organization"]
KEY_UNKNOWN = "There is no API key with this id."


@dataclass(frozen=True)
class NewKey:
    scope: Scope
    name: str
    permissions: Sequence[str]
    expires_days: int | None = None


def create_key(caller: Caller, wanted: NewKey) -> tuple[ApiKey, Secret]:
    """Store a new key of the caller or of their organization; the secret is returned once.

    Raises InvalidInputError, and ForbiddenError for permissions beyond the caller's own.
    """
    if wanted.scope == "user":
        return _store(caller, wanted, user_key_permissions(wanted.permissions, caller.permissions))
    if not caller.may(KEYS_MANAGE):
        raise ForbiddenError("Only admins and owners can create keys of the organization.")
    return _store(
        caller, wanted, organization_key_permissions(wanted.permissions, caller.permissions)
    )


def _store(caller: Caller, wanted: NewKey, permissions: list[str]) -> tuple[ApiKey, Secret]:
    personal = wanted.scope == "user"
    if personal and caller.kind != "user":
        raise ForbiddenError("Only a person can have a key of their own.")
    secret = new_secret(USER_KEY if personal else ORGANIZATION_KEY)
    moment = now()
    key = ApiKey.objects.create(
        organization_id=caller.organization_id,
        user_id=caller.id if personal else None,
        name=key_name(wanted.name),
        hint=secret.hint,
        secret_hash=secret.digest,
        permissions=permissions,
        created_by_id=caller.id,
        created_at=moment,
        expires_at=expiry(wanted.expires_days, moment),
    )
    return key, secret


def keys_visible_to(caller: Caller) -> QuerySet[ApiKey]:
    """The caller's keys, or all of the organization for key managers. Newest first."""
    keys = ApiKey.objects.filter(organization_id=caller.organization_id).select_related("user")
    if not caller.may(KEYS_MANAGE):
        keys = keys.filter(user_id=caller.id)
    return keys.order_by("-created_at", "-id")


def key_visible_to(caller: Caller, key_id: str) -> ApiKey:
    """Return a visible key; raises NotFoundError, with the same message for any other key."""
    key = keys_visible_to(caller).filter(pk=key_id).first()
    if key is None:
        raise NotFoundError(KEY_UNKNOWN)
    return key


def organization_keys_created_by(organization_id: str, user_id: str) -> list[ApiKey]:
    """List the organization's valid keys created, and therefore seen, by a person."""
    moment = now()
    keys = ApiKey.objects.filter(
        organization_id=organization_id, user=None, created_by_id=user_id, revoked_at=None
    )
    return [key for key in keys.order_by("name", "id") if is_live(None, key.expires_at, moment)]


def organization_key_ids(organization_id: str, user_id: str) -> list[str]:
    """Return the ids of all keys of the organization created by a person, valid or not."""
    keys = ApiKey.objects.filter(organization_id=organization_id, user=None, created_by_id=user_id)
    return list(keys.values_list("pk", flat=True))


def keys_usable_by(user: User) -> list[ApiKey]:
    """List the valid keys possibly seen or created by someone with a person's password.

    The person's own keys in all organizations, and the keys of organizations whose keys the person
    may manage.
    """
    moment = now()
    manages = [
        membership.organization_id
        for membership in user.memberships.all()
        if KEYS_MANAGE in permissions_of(membership.role)
    ]
    own = Q(user=user, organization__memberships__user=user)
    created = Q(user=None, created_by_id=user.pk, organization__in=manages)
    keys = ApiKey.objects.filter(own | created, revoked_at=None).select_related("organization")
    return [
        key
        for key in keys.distinct().order_by("organization__name", "name", "id")
        if is_live(None, key.expires_at, moment)
    ]


def revoke_created_keys(
    organization_id: str, user_id: str, keep: Collection[str]
) -> tuple[Change, ...]:
    """Revoke the organization's keys created by a person, except the keys to ``keep``."""
    keys = [
        key for key in organization_keys_created_by(organization_id, user_id) if key.pk not in keep
    ]
    ApiKey.objects.filter(pk__in=[key.pk for key in keys]).update(revoked_at=now())
    return tuple(revocation_of(key) for key in keys)


def revocation_of(key: ApiKey) -> Change:
    """Return the audit entry for a revoked key."""
    return Change(REVOKED, Target("api_key", key.id, key.name), before={"hint": key.hint})


def revoke_key(caller: Caller, key_id: str) -> ApiKey:
    """Revoke a key immediately; raises NotFoundError, and ConflictError if revoked before."""
    key = key_visible_to(caller, key_id)
    moment = now()
    # The database checks the condition, so one of two simultaneous revocations fails.
    revoked = ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=moment)
    if not revoked:
        raise ConflictError(f"The key '{key.name}' is already revoked.")
    key.revoked_at = moment
    return key
