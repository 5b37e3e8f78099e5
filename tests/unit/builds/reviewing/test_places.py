"""The places to look at: parts that cover each area, and which of them an image shows."""

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.reviewing.evidence import (
    LONGEST_SIDE,
    SMALLEST_SCALE,
    find_visible,
    split,
)
from visual_review.imagediff import Box

areas = st.builds(
    Box, st.integers(0, 900), st.integers(0, 900), st.integers(1, 2000), st.integers(1, 2000)
)


@given(areas)
def test_parts_cover_an_area_without_overlap(area: Box) -> None:
    parts = list(split(area))
    assert sum(part.width * part.height for part in parts) == area.width * area.height
    for part in parts:
        assert 0 < part.width <= LONGEST_SIDE
        assert 0 < part.height <= LONGEST_SIDE
        assert part.x >= area.x
        assert part.x + part.width <= area.x + area.width
        assert part.y >= area.y
        assert part.y + part.height <= area.y + area.height
    assert find_visible(parts, [area], 1) == list(range(len(parts)))
    assert find_visible(parts, parts, SMALLEST_SCALE) == list(range(len(parts)))


@given(areas)
def test_a_place_that_is_cut_off_or_too_small_is_not_visible(area: Box) -> None:
    parts = list(split(area))
    assert find_visible(parts, [area], SMALLEST_SCALE - 0.01) == []
    below = Box(area.x, area.y + 1, area.width, area.height)
    visible = find_visible(parts, [below], 1)
    assert visible == [n for n, part in enumerate(parts) if part.y > area.y]
