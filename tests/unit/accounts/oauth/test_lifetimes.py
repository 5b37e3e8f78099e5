"""What the use of a refresh token means, at the borders of its times."""

from datetime import UTC, datetime, timedelta

from tests.support.case import Case
from visual_review.accounts.oauth.lifetimes import GRACE, refresh_use

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(days=1), NOW - timedelta(seconds=1)


USES = [
    (None, LATER, "first"),
    (None, NOW, "expired"),
    (None, EARLIER, "expired"),
    (NOW, LATER, "again"),
    (NOW - GRACE, LATER, "again"),
    (NOW - GRACE - timedelta(microseconds=1), LATER, "reused"),
    # A stolen token tells of the thief even when it is old.
    (NOW - timedelta(days=1), EARLIER, "reused"),
]


def test_uses(case: Case) -> None:
    for rotated_at, expires_at, use in USES:
        with case(f"{rotated_at}, {expires_at}"):
            assert refresh_use(rotated_at, expires_at, NOW) == use
