"""How the engine in numpy divides an image into bands does not show."""

import pytest

from tests.support.imagediff.png_forms import FORMS, form_of, random_samples
from tests.support.imagediff.png_writer import png_of_samples
from visual_review.imagediff.reference import decoder
from visual_review.imagediff.reference.decoder import decode


@pytest.mark.parametrize(("color", "depth"), FORMS)
def test_filters_reach_over_the_edge_of_a_band(
    color: int, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = form_of(color, depth, 3)
    data = png_of_samples(random_samples(3, 30, 40, form), form)
    whole = decode(data)
    monkeypatch.setattr(decoder, "BAND_BYTES", 700)
    assert (decode(data) == whole).all()
