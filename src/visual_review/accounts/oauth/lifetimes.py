"""How long codes and tokens live, and what a refresh token's second use means; pure."""

from datetime import datetime, timedelta
from typing import Final, Literal

CODE: Final = timedelta(seconds=60)
ACCESS: Final = timedelta(hours=1)
REFRESH: Final = timedelta(days=90)
# Two processes of one client may refresh at once; a thief would have to be as quick.
GRACE: Final = timedelta(seconds=10)

Use = Literal["first", "again", "reused", "expired"]


def refresh_use(rotated_at: datetime | None, expires_at: datetime, moment: datetime) -> Use:
    """``again`` is a use within the grace, ``reused`` a later one: somebody else has the token."""
    if rotated_at is not None:
        return "again" if moment - rotated_at <= GRACE else "reused"
    return "first" if expires_at > moment else "expired"
