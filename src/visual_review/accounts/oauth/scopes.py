"""The two scopes and their permissions; pure."""

from collections.abc import Iterable
from typing import Final

from visual_review.accounts.permissions import PUBLISHED

READ: Final = "read"
WRITE: Final = "write"
# In the order shown in lists.
SCOPES: Final = (READ, WRITE)
VIEW_PERMISSIONS: Final = frozenset(name for name in PUBLISHED if name.endswith(":view"))


def scope_text(scopes: Iterable[str]) -> str:
    """Return scopes as an OAuth scope string; write access includes read access."""
    wanted = set(scopes)
    if WRITE in wanted:
        wanted.add(READ)
    return " ".join(scope for scope in SCOPES if scope in wanted)


def permissions_in(scope: str, held: frozenset[str]) -> frozenset[str]:
    """Return the permissions of a role included in ``scope``."""
    published = held & PUBLISHED
    scopes = scope.split()
    if WRITE in scopes:
        return published
    return published & VIEW_PERMISSIONS if READ in scopes else frozenset()


def may_change(held: frozenset[str]) -> bool:
    """Whether the scope ``write`` adds anything for a role with the ``held`` permissions."""
    return bool((held & PUBLISHED) - VIEW_PERMISSIONS)


def limit_scope(requested: str, held: frozenset[str]) -> str:
    """Return the part of the requested scope within the permissions of a user."""
    if may_change(held):
        return requested
    return scope_text(scope for scope in requested.split() if scope == READ) or READ


def merge_consent(before: str, offer: str, granted: str) -> str:
    """Return the scope of a grant after another consent.

    Declined scopes of the offer are removed; others keep their state.
    """
    declined = set(offer.split()) - set(granted.split())
    return scope_text((set(before.split()) - declined) | set(granted.split()))


def intersect_scopes(first: str, second: str) -> str:
    """Return the scopes contained in both strings."""
    return scope_text(set(first.split()) & set(second.split()))
