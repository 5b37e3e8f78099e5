"""HTTP ranges: every range is within the file and equals the request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.api.byte_ranges import ByteRange, RangeNotSatisfiableError, parse_range

SIZES = st.integers(0, 1000)


@given(SIZES, st.integers(0, 1200), st.integers(0, 1200))
def test_a_range_is_the_same_slice_that_python_takes(size: int, first: int, last: int) -> None:
    data = bytes(number % 256 for number in range(size))
    if last < first:
        assert parse_range(f"bytes={first}-{last}", size) is None
    elif first >= size:
        with pytest.raises(RangeNotSatisfiableError):
            parse_range(f"bytes={first}-{last}", size)
    else:
        span = parse_range(f"bytes={first}-{last}", size)
        assert span is not None
        assert data[span.first : span.last + 1] == data[first : last + 1]
        assert span.length == len(data[first : last + 1])


@given(SIZES, st.integers(1, 1200))
def test_the_end_of_a_file_can_be_asked_for(size: int, last: int) -> None:
    if size == 0:
        with pytest.raises(RangeNotSatisfiableError):
            parse_range(f"bytes=-{last}", size)
    else:
        assert parse_range(f"bytes=-{last}", size) == ByteRange(max(0, size - last), size - 1)


@given(st.text(max_size=30))
def test_an_invalid_header_returns_the_whole_file(text: str) -> None:
    if not text.strip().startswith("bytes="):
        assert parse_range(text, 100) is None


@pytest.mark.parametrize("header", ["bytes=-", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b"])
def test_an_unsupported_range_returns_the_whole_file(header: str) -> None:
    assert parse_range(header, 100) is None


def test_nothing_at_all_of_the_end_is_outside() -> None:
    with pytest.raises(RangeNotSatisfiableError):
        parse_range("bytes=-0", 100)
