"""The kinds of use of a refresh token, at the limits of its lifetime."""

from datetime import UTC, datetime, timedelta

from tests.support.case import Case
from visual_review.accounts.oauth.lifetimes import REFRESH_GRACE, classify_refresh

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(days=1), NOW - timedelta(seconds=1)


USES = [
    (None, LATER, "first"),
    (None, NOW, "expired"),
    (None, EARLIER, "expired"),
    (NOW, LATER, "again"),
    (NOW - REFRESH_GRACE, LATER, "again"),
    (NOW - REFRESH_GRACE - timedelta(microseconds=1), LATER, "reused"),
    # The reuse of a stolen token is detected even when it has expired.
    (NOW - timedelta(days=1), EARLIER, "reused"),
]


def test_kinds_of_use(case: Case) -> None:
    for rotated_at, expires_at, use in USES:
        with case(f"{rotated_at}, {expires_at}"):
            assert classify_refresh(rotated_at, expires_at, NOW) == use
