"""Roles and their permissions; pure."""

from typing import Final, Literal

Role = Literal["viewer", "reviewer", "admin", "owner"]

REPOS_VIEW: Final = "repos:view"
REPOS_MANAGE: Final = "repos:manage"
BUILDS_VIEW: Final = "builds:view"
BUILDS_REVIEW: Final = "builds:review"
RECORDINGS_VIEW: Final = "recordings:view"
RECORDINGS_MANAGE: Final = "recordings:manage"
# Published actions never need the following permissions; pages and internal actions do.
MEMBERS_MANAGE: Final = "members:manage"
KEYS_OWN: Final = "keys:own"
KEYS_MANAGE: Final = "keys:manage"
AUDIT_VIEW: Final = "audit:view"

PUBLISHED: Final = frozenset(
    {REPOS_VIEW, REPOS_MANAGE, BUILDS_VIEW, BUILDS_REVIEW, RECORDINGS_VIEW, RECORDINGS_MANAGE}
)
# The possible permissions of a key; the audit log only by choice.
OF_KEYS: Final = PUBLISHED | {AUDIT_VIEW}
_VIEWER = frozenset({REPOS_VIEW, BUILDS_VIEW, RECORDINGS_VIEW, KEYS_OWN})
_REVIEWER = _VIEWER | {BUILDS_REVIEW}
_ADMIN = _REVIEWER | {REPOS_MANAGE, RECORDINGS_MANAGE, KEYS_MANAGE, AUDIT_VIEW}
_OWNER = _ADMIN | {MEMBERS_MANAGE}

ROLE_PERMISSIONS: Final[dict[str, frozenset[str]]] = {
    "viewer": _VIEWER,
    "reviewer": _REVIEWER,
    "admin": _ADMIN,
    "owner": _OWNER,
}
ROLES: Final[tuple[Role, ...]] = ("viewer", "reviewer", "admin", "owner")


def permissions_of(role: str) -> frozenset[str]:
    """Return the permissions of a role; none for an unknown role."""
    # A role from a newer version must not grant anything here.
    return ROLE_PERMISSIONS.get(role, frozenset())
