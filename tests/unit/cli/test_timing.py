"""Durations and rates in words."""

from tests.support.case import Case
from visual_review.cli.client.console import format_duration, format_rate


def test_durations_are_seconds_minutes_or_hours(case: Case) -> None:
    for seconds, expected in (
        (0.2, "0 s"),
        (43.4, "43 s"),
        (59.6, "1 min 0 s"),
        (125, "2 min 5 s"),
        (3720, "1 h 2 min"),
    ):
        with case(seconds):
            assert format_duration(seconds) == expected


def test_rates_have_a_fraction_only_where_it_matters(case: Case) -> None:
    for rate, expected in ((None, ""), (0.25, "0.2/s"), (9.87, "9.9/s"), (123.4, "123/s")):
        with case(rate):
            assert format_rate(rate) == expected
