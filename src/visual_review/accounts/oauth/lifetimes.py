"""Lifetimes of codes and tokens, and the meaning of a second use of a refresh token; pure."""

from datetime import datetime, timedelta
from typing import Final, Literal

CODE_LIFETIME: Final = timedelta(seconds=60)
ACCESS_LIFETIME: Final = timedelta(hours=1)
REFRESH_LIFETIME: Final = timedelta(days=90)
# After a year from the consent the person is asked again, however often the app refreshed tokens.
FAMILY_LIFETIME: Final = timedelta(days=365)
# Two processes of one client may refresh at the same time.
REFRESH_GRACE: Final = timedelta(seconds=10)

Use = Literal["first", "again", "reused", "expired"]


def classify_refresh(rotated_at: datetime | None, expires_at: datetime, moment: datetime) -> Use:
    """Return the kind of use: ``again`` is within the grace period, ``reused`` suggests theft."""
    if rotated_at is not None:
        return "again" if moment - rotated_at <= REFRESH_GRACE else "reused"
    return "first" if expires_at > moment else "expired"


def refresh_expiry(consented_at: datetime, moment: datetime) -> datetime:
    """Return when a refresh token created at ``moment`` expires."""
    return min(moment + REFRESH_LIFETIME, consented_at + FAMILY_LIFETIME)
