from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.web.durations import clock, moment, seconds_of


def test_lengths_read_as_on_a_player(case: Case) -> None:
    for milliseconds, shown in (
        (None, ""),
        (0, "0:00"),
        (7999, "0:07"),
        (754_000, "12:34"),
        (3_723_000, "1:02:03"),
    ):
        with case(milliseconds):
            assert clock(milliseconds) == shown


def test_places_are_told_to_a_tenth_and_linked_to_a_thousandth() -> None:
    assert moment(61_290) == "1:01.2"
    assert [seconds_of(each) for each in (0, 500, 1001, 60_000)] == ["0", "0.5", "1.001", "60"]


@given(st.integers(0, 10**10))
def test_a_linked_place_is_the_one_that_was_told(milliseconds: int) -> None:
    assert round(float(seconds_of(milliseconds)) * 1000) == milliseconds
