"""Rules for the name, permissions and expiry of a new API key; pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from visual_review.accounts.permissions import OF_KEYS
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

# Ten years. Much larger numbers would exceed the range of dates.
MAX_DAYS = 3650
NAME_LENGTH = 100


def key_name(name: str) -> str:
    """Return the name without surrounding whitespace; raises InvalidInputError."""
    shown = name.strip()
    # Names appear in lists and logs, where control characters could imitate other lines.
    if not 1 <= len(shown) <= NAME_LENGTH or not shown.isprintable():
        raise InvalidInputError(
            f"A key's name must have 1 to {NAME_LENGTH} printable characters.",
            [("/name", f"Enter 1 to {NAME_LENGTH} printable characters.")],
        )
    return shown


def user_key_permissions(wanted: Iterable[str], held: frozenset[str]) -> list[str]:
    """Return the permissions of a personal key; an empty list means all permissions of the role.

    Raises InvalidInputError for unknown permissions, ForbiddenError for missing ones.
    """
    return _check_permissions(frozenset(wanted), held)


def organization_key_permissions(wanted: Iterable[str], held: frozenset[str]) -> list[str]:
    """Return the permissions of an organization's key: at least one, all also its creator's."""
    permissions = _check_permissions(frozenset(wanted), held)
    if not permissions:
        raise InvalidInputError(
            "An organization's key needs at least one permission.",
            [("/permissions", "Choose at least one permission.")],
        )
    return permissions


def expiry(days: int | None, moment: datetime) -> datetime | None:
    """Return when a key valid for ``days`` days expires; None means never."""
    if days is None:
        return None
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInputError(
            f"A key can be valid for 1 to {MAX_DAYS} days, or until it is revoked.",
            [("/expiresDays", f"Enter a number from 1 to {MAX_DAYS}.")],
        )
    return moment + timedelta(days=days)


def _check_permissions(wanted: frozenset[str], held: frozenset[str]) -> list[str]:
    unknown = wanted - OF_KEYS
    if unknown:
        raise InvalidInputError(
            f"Keys cannot have the permission '{min(unknown)[:80]}'. "
            f"Choose among: {', '.join(sorted(OF_KEYS))}.",
            [("/permissions", "Choose among the permissions that keys can have.")],
        )
    lacking = wanted - held
    if lacking:
        raise ForbiddenError(
            f"You do not have the permission '{min(lacking)}', so your keys cannot have it either."
        )
    return sorted(wanted)


def is_live(revoked_at: datetime | None, expires_at: datetime | None, moment: datetime) -> bool:
    """Whether a key with the given times is valid at ``moment``."""
    return revoked_at is None and (expires_at is None or expires_at > moment)
