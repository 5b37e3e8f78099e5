from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.hosts.rate_limits import LONGEST, USUAL, asked_for, come_again, used_up

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
    ("99999999999999999999", MOMENT + LONGEST),
    ("Fri, 31 Dec 9999 23:59:59 GMT", MOMENT + LONGEST),
    ("soon", None),
    ("-5", None),
    ("1e3", None),
    ("", None),
]


def test_retry_after_is_read_as_seconds_or_date(case: Case) -> None:
    for value, until in RETRY_AFTER:
        with case(repr(value)):
            assert asked_for({"retry-after": value}, MOMENT) == until


RATE_LIMITS = [
    ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch(60)}, after(60)),
    ({"RateLimit-Remaining": "0", "RateLimit-Reset": epoch(60)}, after(60)),
    ({"RateLimit-Remaining": "0", "RateLimit-Reset": "60"}, after(60)),
    ({"ratelimit-remaining": "0"}, MOMENT + USUAL),
    ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch(-9)}, MOMENT),
    ({"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": epoch(60)}, None),
    ({"X-RateLimit-Remaining": "x"}, None),
    ({}, None),
]


def test_a_limit_that_is_used_up_names_its_end(case: Case) -> None:
    for headers, until in RATE_LIMITS:
        with case(headers):
            assert used_up(headers, MOMENT) == until


def test_without_any_time_a_minute_is_waited() -> None:
    assert come_again({}, MOMENT) == after(60)


def test_retry_after_goes_before_the_end_of_the_limit() -> None:
    headers = {"Retry-After": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": epoch(60)}
    assert come_again(headers, MOMENT) == after(5)


@given(st.dictionaries(st.sampled_from(["Retry-After", "RateLimit-Reset"]), st.text()))
def test_whatever_is_sent_the_wait_is_bounded(headers: dict[str, str]) -> None:
    until = come_again({"RateLimit-Remaining": "0", **headers}, MOMENT)
    assert MOMENT <= until <= MOMENT + LONGEST
