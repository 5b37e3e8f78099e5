"""Callers: who makes a request, and their permissions."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple

from django.db.models import F, FilteredRelation, Q

from visual_review.accounts.key_rules import is_live
from visual_review.accounts.models import ApiKey, Membership, User
from visual_review.accounts.permissions import OF_KEYS, PUBLISHED, permissions_of
from visual_review.accounts.person_names import name_or_email
from visual_review.accounts.secrets import ORGANIZATION_KEY, USER_KEY, digest, record_use
from visual_review.audit.log import Actor
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError

Channel = Literal["web", "rest", "mcp", "ci", "cli"]
Kind = Literal["user", "organization_key", "project_token", "ci_identity", "system"]
KEY_INVALID = (
    "The API key is missing or not valid. Send 'Authorization: Bearer <API key>' with a key "
    "that is neither revoked nor expired."
)


@dataclass(frozen=True)
class Caller:
    """Who makes a request: organization, name, permissions, channel.

    ``kind`` is ``user`` (signed in, or with an API key), ``organization_key``,
    ``project_token`` or ``ci_identity``.
    """

    kind: Kind
    # The ID of the user, key or token; of the repository for a ``ci_identity``.
    id: str
    name: str
    organization_id: str
    permissions: frozenset[str]
    channel: Channel
    # The program's own name for itself.
    client: str = ""
    # The connected app's client ID.
    client_id: str = ""
    # The API key of the request.
    key_id: str | None = None
    # The connected app's grant.
    grant_id: str | None = None
    # Permissions of the role outside the grant's scope.
    withheld: frozenset[str] = frozenset()
    # Set for callers from CI only.
    repository_id: str | None = None
    # The program's own statement of its version.
    client_version: str = ""

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
    return caller_of_member(user, membership, channel)


def caller_of_member(user: User, membership: Membership | None, channel: Channel) -> Caller:
    """Return a signed-in user with the given membership; raises UnauthenticatedError."""
    if membership is None or not user.is_active:
        raise UnauthenticatedError("You are not a member of this organization.")
    return Caller(
        kind="user",
        id=user.id,
        name=str(user),
        organization_id=membership.organization_id,
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
    key, moment = _find_key(digest(text)), now()
    if key is None or not is_live(key.revoked_at, key.expires_at, moment):
        raise UnauthenticatedError(KEY_INVALID)
    caller = _caller_behind(key, channel)
    record_use(ApiKey, key.id, key.last_used_at, moment)
    return caller


class _KeyRow(NamedTuple):
    """A key with its user and the user's role; a former member has no role."""

    id: str
    name: str
    organization_id: str
    permissions: list[str]
    revoked_at: datetime | None
    expires_at: datetime | None
    last_used_at: datetime | None
    user_id: str | None
    is_active: bool | None
    user_name: str | None
    user_email: str | None
    role: str | None


def _find_key(secret_hash: str) -> _KeyRow | None:
    # Every call reads the key, and one query is enough.
    same_organization = Q(user__memberships__organization=F("organization"))
    membership = FilteredRelation("user__memberships", condition=same_organization)
    found = (
        ApiKey.objects.annotate(membership=membership)
        .filter(secret_hash=secret_hash)
        .values_list(
            "id",
            "name",
            "organization_id",
            "permissions",
            "revoked_at",
            "expires_at",
            "last_used_at",
            "user_id",
            "user__is_active",
            "user__name",
            "user__email",
            "membership__role",
        )
    )
    # The hash is unique.
    return next((_KeyRow(*columns) for columns in found), None)


def _caller_behind(key: _KeyRow, channel: Channel) -> Caller:
    if key.user_id is None:
        return Caller(
            kind="organization_key",
            id=key.id,
            name=key.name,
            organization_id=key.organization_id,
            # A key never has a permission reserved for pages, whatever is stored.
            permissions=frozenset(key.permissions) & OF_KEYS,
            channel=channel,
            key_id=key.id,
        )
    if key.role is None or not key.is_active:
        raise UnauthenticatedError(KEY_INVALID)
    # An empty list means the role's permissions; a user key never exceeds the current role.
    wanted = frozenset(key.permissions) & OF_KEYS or PUBLISHED
    allowed = permissions_of(key.role) & wanted
    return Caller(
        kind="user",
        id=key.user_id,
        name=name_or_email(key.user_name, key.user_email),
        organization_id=key.organization_id,
        permissions=allowed,
        channel=channel,
        key_id=key.id,
    )
