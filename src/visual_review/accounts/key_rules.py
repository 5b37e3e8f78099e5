"""What a new API key may be given; pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from visual_review.accounts.permissions import PUBLISHED
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

# Ten years. Far larger numbers would leave the range of dates.
MAX_DAYS = 3650
NAME_LENGTH = 100


def key_name(name: str) -> str:
    """The name without blanks around it; raises InvalidInputError."""
    shown = name.strip()
    # Names stand in lists and logs, where control characters could pass for other lines.
    if not 1 <= len(shown) <= NAME_LENGTH or not shown.isprintable():
        raise InvalidInputError(
            f"A key's name has 1 to {NAME_LENGTH} printable characters.",
            [("/name", f"Write 1 to {NAME_LENGTH} printable characters.")],
        )
    return shown


def user_key_permissions(wanted: Iterable[str], held: frozenset[str]) -> list[str]:
    """What a key of a person gets: what was wanted, or nothing to mean "as my role allows".

    Raises InvalidInputError for unknown permissions, ForbiddenError for those not held.
    """
    return _within(frozenset(wanted), held)


def organization_key_permissions(wanted: Iterable[str], held: frozenset[str]) -> list[str]:
    """What a key of the organization gets: at least one permission, none its maker lacks."""
    permissions = _within(frozenset(wanted), held)
    if not permissions:
        raise InvalidInputError(
            "A key of the organization needs at least one permission.",
            [("/permissions", "Choose at least one permission.")],
        )
    return permissions


def expiry(days: int | None, moment: datetime) -> datetime | None:
    """When a key ends that lasts ``days`` days from ``moment``; None lasts until revoked."""
    if days is None:
        return None
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInputError(
            f"A key lasts 1 to {MAX_DAYS} days, or until it is revoked.",
            [("/expiresDays", f"Write a number from 1 to {MAX_DAYS}.")],
        )
    return moment + timedelta(days=days)


def _within(wanted: frozenset[str], held: frozenset[str]) -> list[str]:
    unknown = wanted - PUBLISHED
    if unknown:
        raise InvalidInputError(
            f"Keys cannot have the permission '{min(unknown)[:80]}'. "
            f"They can have: {', '.join(sorted(PUBLISHED))}.",
            [("/permissions", "Choose among the permissions of keys.")],
        )
    lacking = wanted - held
    if lacking:
        raise ForbiddenError(
            f"You lack the permission '{min(lacking)}', so a key you make cannot have it."
        )
    return sorted(wanted)


def is_live(revoked_at: datetime | None, expires_at: datetime | None, moment: datetime) -> bool:
    """Whether a key with these ends is accepted at ``moment``."""
    return revoked_at is None and (expires_at is None or expires_at > moment)
