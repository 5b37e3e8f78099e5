"""The two scopes and what they allow; pure."""

from collections.abc import Iterable
from typing import Final

from visual_review.accounts.permissions import PUBLISHED

READ: Final = "read"
WRITE: Final = "write"
# In the order in which they are written wherever a list of scopes stands.
SCOPES: Final = (READ, WRITE)
SEES: Final = frozenset(name for name in PUBLISHED if name.endswith(":view"))


def scope_text(scopes: Iterable[str]) -> str:
    """Scopes as OAuth writes them; who may write may read."""
    wanted = set(scopes)
    if WRITE in wanted:
        wanted.add(READ)
    return " ".join(scope for scope in SCOPES if scope in wanted)


def permissions_in(scope: str, held: frozenset[str]) -> frozenset[str]:
    """What ``scope`` leaves of the permissions that a role holds."""
    published = held & PUBLISHED
    words = scope.split()
    if WRITE in words:
        return published
    return published & SEES if READ in words else frozenset()


def may_change(held: frozenset[str]) -> bool:
    """Whether a role with these permissions gains anything by the scope ``write``."""
    return bool((held & PUBLISHED) - SEES)


def offered(asked: str, held: frozenset[str]) -> str:
    """The most of what a client asked for that a person with these permissions can grant."""
    words = asked.split()
    return asked if may_change(held) else scope_text(word for word in words if word == READ) or READ


def granted_now(before: str, offer: str, granted: str) -> str:
    """A grant's scope after a further consent.

    What was offered and not given is taken back; what was not asked about stays as it was.
    """
    declined = set(offer.split()) - set(granted.split())
    return scope_text((set(before.split()) - declined) | set(granted.split()))


def both(first: str, second: str) -> str:
    """What stands in both scopes."""
    return scope_text(set(first.split()) & set(second.split()))
