"""Ranges of HTTP: every answer lies within the file and is what was asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.api.byte_ranges import RangeOutsideError, Span, span_of

SIZES = st.integers(0, 1000)


@given(SIZES, st.integers(0, 1200), st.integers(0, 1200))
def test_a_range_is_the_same_slice_that_python_takes(size: int, first: int, last: int) -> None:
    data = bytes(number % 256 for number in range(size))
    if last < first:
        assert span_of(f"bytes={first}-{last}", size) is None
    elif first >= size:
        with pytest.raises(RangeOutsideError):
            span_of(f"bytes={first}-{last}", size)
    else:
        span = span_of(f"bytes={first}-{last}", size)
        assert span is not None
        assert data[span.first : span.last + 1] == data[first : last + 1]
        assert span.length == len(data[first : last + 1])


@given(SIZES, st.integers(1, 1200))
def test_the_end_of_a_file_can_be_asked_for(size: int, last: int) -> None:
    if size == 0:
        with pytest.raises(RangeOutsideError):
            span_of(f"bytes=-{last}", size)
    else:
        assert span_of(f"bytes=-{last}", size) == Span(max(0, size - last), size - 1)


@given(st.text(max_size=30))
def test_nonsense_is_answered_with_the_whole(text: str) -> None:
    if not text.strip().startswith("bytes="):
        assert span_of(text, 100) is None


@pytest.mark.parametrize("header", ["bytes=-", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b"])
def test_what_is_not_supported_is_answered_with_the_whole(header: str) -> None:
    assert span_of(header, 100) is None


def test_nothing_at_all_of_the_end_is_outside() -> None:
    with pytest.raises(RangeOutsideError):
        span_of("bytes=-0", 100)
