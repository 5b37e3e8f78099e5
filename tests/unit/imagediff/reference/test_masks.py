"""How the engine in numpy divides its work does not show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import rounds
from tests.support.imagediff.images import Pair, image_pairs
from visual_review.imagediff import Options
from visual_review.imagediff.reference import masks


@given(image_pairs(side=20), st.integers(1, 60))
@settings(max_examples=rounds(12, 60))
def test_masks_do_not_depend_on_how_the_work_is_divided(pair: Pair, chunk: int) -> None:
    whole = masks.compute_mask(*pair, Options())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masks, "PIXELS_AT_ONCE", chunk)
        assert (masks.compute_mask(*pair, Options()) == whole).all()
