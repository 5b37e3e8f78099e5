"""The reference engine: masks, and the rows of a PNG."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import rounds
from tests.support.imagediff.images import Pair, image_pairs
from tests.support.imagediff.png_forms import FORMS, form_of, random_samples
from tests.support.imagediff.png_writer import png_of_samples
from visual_review.imagediff import Options
from visual_review.imagediff.reference import decoder, masks
from visual_review.imagediff.reference.decoder import decode


@given(image_pairs(side=20), st.integers(1, 60))
@settings(max_examples=rounds(12, 60))
def test_masks_do_not_depend_on_how_the_work_is_divided(pair: Pair, chunk: int) -> None:
    whole = masks.compute_mask(*pair, Options())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masks, "PIXELS_AT_ONCE", chunk)
        assert (masks.compute_mask(*pair, Options()) == whole).all()


@pytest.mark.parametrize(("color", "depth"), FORMS)
def test_filters_reach_over_the_edge_of_a_band(
    color: int, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = form_of(color, depth, 3)
    data = png_of_samples(random_samples(3, 30, 40, form), form)
    whole = decode(data)
    monkeypatch.setattr(decoder, "BAND_BYTES", 700)
    assert (decode(data) == whole).all()
