"""Callers: who makes a request, and what they may do."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from django.db.models import F, FilteredRelation, Q, QuerySet

from visual_review.accounts.key_rules import is_live
from visual_review.accounts.models import ApiKey, Membership, User
from visual_review.accounts.permissions import PUBLISHED, permissions_of
from visual_review.accounts.secrets import ORGANIZATION_KEY, USER_KEY, digest
from visual_review.audit.log import Actor
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError

Channel = Literal["web", "rest", "mcp", "ci", "cli"]
Kind = Literal["user", "organization_key", "project_token", "ci_identity", "system"]
USE_RECORDED_EVERY = timedelta(minutes=1)
KEY_INVALID = (
    "The API key is missing or not valid. Send 'Authorization: Bearer <API key>' with a key "
    "that is neither revoked nor expired."
)


@dataclass(frozen=True)
class Caller:
    """Who makes a request: organization, name, permissions, channel.

    ``kind`` is ``user`` (signed in, or with an API key), ``organization_key``,
    ``project_token`` or ``ci_identity``; ``id`` is the ID of the user, key or token, or of the
    repository for an identity. ``key_id`` is the API key that was used, ``grant_id`` the
    connected app's grant; ``client_id`` is that app's. ``withheld`` are permissions that the role
    has but the grant's scope does not. ``repository_id`` is set for callers from CI only.
    """

    kind: Kind
    id: str
    name: str
    organization_id: str
    permissions: frozenset[str]
    channel: Channel
    client: str = ""
    client_id: str = ""
    key_id: str | None = None
    grant_id: str | None = None
    withheld: frozenset[str] = frozenset()
    repository_id: str | None = None

    def may(self, permission: str) -> bool:
        return permission in self.permissions

    def actor(self) -> Actor:
        return Actor(
            self.kind,
            self.id,
            self.name,
            self.channel,
            self.client,
            self.client_id,
            self.key_id or self.grant_id or "",
        )

    def through(self, channel: Channel, client: str = "") -> "Caller":
        return replace(self, channel=channel, client=client)


def caller_of_user(user: User, organization_id: str, channel: Channel) -> Caller:
    """Return a signed-in user as a caller in an organization; raises UnauthenticatedError."""
    membership = Membership.objects.filter(user=user, organization_id=organization_id).first()
    if membership is None or not user.is_active:
        raise UnauthenticatedError("You are not a member of this organization.")
    return Caller(
        kind="user",
        id=user.id,
        name=str(user),
        organization_id=organization_id,
        permissions=permissions_of(membership.role),
        channel=channel,
    )


def caller_of_operator(organization_id: str) -> Caller:
    """Return the caller for commands on the server's own machine, with an owner's permissions."""
    return Caller(
        kind="system",
        id="operator",
        name="Command line",
        organization_id=organization_id,
        permissions=permissions_of("owner"),
        channel="cli",
    )


def caller_of_key(text: str, channel: Channel) -> Caller:
    """Return the caller of an API key; raises UnauthenticatedError, always the same."""
    # The prefix identifies other credentials: a project token is never an API key.
    if not text.startswith((USER_KEY, ORGANIZATION_KEY)):
        raise UnauthenticatedError(KEY_INVALID)
    # The hash is unique; first() would sort.
    key = next(iter(_keys_with_role().filter(secret_hash=digest(text))), None)
    moment = now()
    if key is None or not is_live(key.revoked_at, key.expires_at, moment):
        raise UnauthenticatedError(KEY_INVALID)
    caller = _caller_behind(key, key.role, channel)
    _record_use(key, moment)
    return caller


# Every call needs this, so the role is joined to the key and the query is built once.
@cache
def _keys_with_role() -> QuerySet[Any]:
    same_organization = Q(user__memberships__organization=F("organization"))
    return (
        ApiKey.objects.select_related("user")
        .annotate(membership=FilteredRelation("user__memberships", condition=same_organization))
        .annotate(role=F("membership__role"))
    )


def _caller_behind(key: ApiKey, role: str | None, channel: Channel) -> Caller:
    """``role`` is that of the key's user; None for an organization's key or a former member."""
    if key.user is None:
        return Caller(
            kind="organization_key",
            id=key.id,
            name=key.name,
            organization_id=key.organization_id,
            # Whatever is stored, a key never has a permission that only pages need.
            permissions=frozenset(key.permissions) & PUBLISHED,
            channel=channel,
            key_id=key.id,
        )
    if role is None or not key.user.is_active:
        raise UnauthenticatedError(KEY_INVALID)
    allowed = permissions_of(role) & PUBLISHED
    if key.permissions:
        # An empty list means the role's permissions; a user key never exceeds the current role.
        allowed &= frozenset(key.permissions)
    return Caller(
        kind="user",
        id=key.user.id,
        name=str(key.user),
        organization_id=key.organization_id,
        permissions=allowed,
        channel=channel,
        key_id=key.id,
    )


def _record_use(key: ApiKey, moment: datetime) -> None:
    # Recording every call would add a write to each read; a minute is precise enough.
    if key.last_used_at is None or moment - key.last_used_at > USE_RECORDED_EVERY:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=moment)
