from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.hosts.rate_limits import (
    DEFAULT_WAIT,
    LONGEST_WAIT,
    next_allowed_time,
    parse_rate_limit_reset,
    parse_retry_after,
)

MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def after(seconds: int) -> datetime:
    return MOMENT + timedelta(seconds=seconds)


def epoch(seconds: int) -> str:
    return str(int(after(seconds).timestamp()))


RETRY_AFTER = [
    ("0", MOMENT),
    ("90", after(90)),
    (format_datetime(after(120), usegmt=True), after(120)),
    ("Sun, 01 Mar 2026 12:05:00 -0000", after(300)),
    (format_datetime(after(-60), usegmt=True), MOMENT),
    ("99999999999999999999", MOMENT + LONGEST_WAIT),
    ("Fri, 31 Dec 9999 23:59:59 GMT", MOMENT + LONGEST_WAIT),
    ("soon", None),
    ("-5", None),
    ("1e3", None),
    ("", None),
]


def test_retry_after_is_parsed_as_seconds_or_date(case: Case) -> None:
    for value, until in RETRY_AFTER:
        with case(repr(value)):
            assert parse_retry_after({"retry-after": value}, MOMENT) == until


RATE_LIMITS = [
    ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch(60)}, after(60)),
    ({"RateLimit-Remaining": "0", "RateLimit-Reset": epoch(60)}, after(60)),
    ({"RateLimit-Remaining": "0", "RateLimit-Reset": "60"}, after(60)),
    ({"ratelimit-remaining": "0"}, MOMENT + DEFAULT_WAIT),
    ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch(-9)}, MOMENT),
    ({"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": epoch(60)}, None),
    ({"X-RateLimit-Remaining": "x"}, None),
    ({}, None),
]


def test_an_exhausted_rate_limit_has_its_reset_time(case: Case) -> None:
    for headers, until in RATE_LIMITS:
        with case(headers):
            assert parse_rate_limit_reset(headers, MOMENT) == until


def test_the_default_wait_is_a_minute() -> None:
    assert next_allowed_time({}, MOMENT) == after(60)


def test_retry_after_takes_precedence_over_the_reset_time() -> None:
    headers = {"Retry-After": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch(60)}
    assert next_allowed_time(headers, MOMENT) == after(5)


@given(st.dictionaries(st.sampled_from(["Retry-After", "RateLimit-Reset"]), st.text()))
def test_the_wait_is_bounded_for_any_headers(headers: dict[str, str]) -> None:
    until = next_allowed_time({"RateLimit-Remaining": "0", **headers}, MOMENT)
    assert MOMENT <= until <= MOMENT + LONGEST_WAIT
