"""Contrast as defined by WCAG 2, and names of colors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.imagediff.changes.kinds import measure_contrast, name_color

COLORS = st.integers(0, 0xFFFFFF).map(lambda color: 0xFF000000 | color)
# Red is in the lowest byte.
WHITE, BLACK, GRAY, RED = 0xFFFFFFFF, 0xFF000000, 0xFF777777, 0xFF0000FF


def test_known_contrasts() -> None:
    assert measure_contrast(WHITE, BLACK) == pytest.approx(21)
    assert measure_contrast(WHITE, GRAY) == pytest.approx(4.48, abs=0.01)
    assert measure_contrast(WHITE, RED) == pytest.approx(4.0, abs=0.01)


@given(COLORS, COLORS)
def test_contrast_is_between_1_and_21_in_either_order(one: int, two: int) -> None:
    assert 1 <= measure_contrast(one, two) <= 21.0001
    assert measure_contrast(one, two) == measure_contrast(two, one)


def test_names_have_alpha_only_where_it_matters() -> None:
    assert (name_color(RED), name_color(0x800000FF)) == ("#ff0000", "#ff000080")
