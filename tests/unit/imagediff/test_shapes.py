"""Connected pieces of a mask, and outlines of pages: both engines find the same."""

import random

import numpy as np
from PIL import Image, ImageDraw

from tests.support.depth import rounds, seed
from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.engines import available_engines, require_native_engine
from tests.support.imagediff.random_pairs import make_pair
from tests.support.imagediff.shared_data import real_change, sample
from visual_review.imagediff import probe
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS, Box, Options, Region
from visual_review.imagediff.port import Outline, Piece

REGIONS = Options(regions=(Region(0.2, 0.1, 0.3, 0.4),))
Shapes = tuple[tuple[Piece, ...] | None, Outline | None, Outline | None]


def shapes_of(before: bytes, after: bytes, options: Options = DEFAULT_OPTIONS) -> Shapes:
    """Return pieces and both outlines; all engines agree on them."""
    found = []
    for engine in available_engines():
        pair = engine.mark(before, after, options, DEFAULT_LIMITS).pair
        heights = [probe(image).height for image in (before, after)]
        found.append(
            (
                pair.find_pieces(pair.align()),
                pair.outline("before", 0, heights[0]),
                pair.outline("after", heights[1] // 3, heights[1]),
            )
        )
    assert all(each == found[0] for each in found)
    return found[0]


def test_engines_agree_on_random_pairs() -> None:
    require_native_engine()
    rng = random.Random(seed())
    for _ in range(rounds(15, 1_000)):
        pair = make_pair(rng, 60)
        shapes_of(pair.before, pair.after)
        shapes_of(pair.before, pair.after, REGIONS)


def test_engines_agree_on_real_pairs() -> None:
    require_native_engine()
    for pair in sample(real_change("gravity-menu").of_kind("pixels"), rounds(1, 20)):
        shapes_of(pair.before, pair.after)


def test_engines_agree_on_sketches() -> None:
    require_native_engine()
    rng = random.Random(seed())
    drawn = 0
    for _ in range(rounds(15, 1_000)):
        pair = make_pair(rng, 60)
        width, height = (getattr(probe(pair.after), side) for side in ("width", "height"))
        x, y = rng.randrange(width), rng.randrange(height)
        box = Box(x, y, rng.randint(1, width - x), rng.randint(1, height - y))
        found = [
            engine.mark(pair.before, pair.after, DEFAULT_OPTIONS, DEFAULT_LIMITS).pair
            for engine in available_engines()
        ]
        sketches = [each.sketch("after", box) for each in found]
        assert all(sketch == sketches[0] for sketch in sketches)
        drawn += sketches[0] is not None
    assert drawn


def test_pieces_are_where_pixels_are_connected_outside_regions() -> None:
    before = Image.new("RGB", (100, 100), "white")
    after = before.copy()
    for box in ((5, 5, 9, 9), (14, 5, 20, 9), (70, 60, 80, 64), (30, 30, 35, 35)):
        ImageDraw.Draw(after).rectangle(box, fill="black")
    images = [encode(np.asarray(image.convert("RGBA"))) for image in (before, after)]
    pieces = shapes_of(images[0], images[1], REGIONS)[0]
    assert pieces is not None
    assert [piece.box for piece in pieces] == [Box(5, 5, 16, 5), Box(70, 60, 11, 5)]


def test_an_outline_has_strokes_and_long_edges() -> None:
    page = Image.new("RGB", (200, 100), "white")
    canvas = ImageDraw.Draw(page)
    canvas.rectangle((20, 10, 79, 69), fill="#444444")
    canvas.rectangle((120, 30, 121, 39), fill="#5282ff")
    png = encode(np.asarray(page.convert("RGBA")))
    outline = shapes_of(png, png)[1]
    assert outline is not None
    # The step to the next pixels is a part of the stroke, and blue in 20 of 33 pixels.
    (element,) = outline.elements
    assert (element.box, element.paper, element.contrast) == (Box(120, 30, 3, 11), 129, 126)
    assert (element.ink, element.hue) == (13 * 126, 13 * 87)
    # The column on the right is white, and so is the row at the bottom.
    assert (element.x_ink, element.y_ink) == ((11 * 2 + 1) * 126, (45 + 3 * 10) * 126)
    assert set(outline.edges) == {
        *(Box(20, 10, 0, 60), Box(80, 10, 0, 60)),
        *(Box(20, 10, 60, 0), Box(20, 70, 60, 0)),
    }
