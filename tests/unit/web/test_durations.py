from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.web.durations import format_duration, format_seconds, format_time


def test_durations_are_formatted_as_in_a_player(case: Case) -> None:
    for milliseconds, shown in (
        (None, ""),
        (0, "0:00"),
        (7999, "0:07"),
        (754_000, "12:34"),
        (3_723_000, "1:02:03"),
    ):
        with case(milliseconds):
            assert format_duration(milliseconds) == shown


def test_times_are_shown_to_a_tenth_and_linked_to_a_thousandth() -> None:
    assert format_time(61_290) == "1:01.2"
    assert [format_seconds(each) for each in (0, 500, 1001, 60_000)] == ["0", "0.5", "1.001", "60"]


@given(st.integers(0, 10**10))
def test_a_formatted_time_can_be_parsed_back(milliseconds: int) -> None:
    assert round(float(format_seconds(milliseconds)) * 1000) == milliseconds
