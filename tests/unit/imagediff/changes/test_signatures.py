"""Signatures of drawn and of real changes."""

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.engines import available_engines
from visual_review.imagediff.changes.alikeness import have_same_content
from visual_review.imagediff.changes.signatures import make_signature
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS

Draw = Callable[[ImageDraw.ImageDraw], None]
Place = tuple[int, int]
PLACES: tuple[Place, ...] = ((20, 20), (71, 33), (140, 90))


def content_of(before: Draw, after: Draw, size: tuple[int, int] = (240, 160)) -> str:
    """Return the content of the signature, which all engines agree on."""
    images = []
    for draw in (before, after):
        image = Image.new("RGBA", size, (255, 255, 255, 255))
        draw(ImageDraw.Draw(image))
        images.append(encode(np.asarray(image)))
    found = {
        make_signature(engine.mark(images[0], images[1], DEFAULT_OPTIONS, DEFAULT_LIMITS)).content
        for engine in available_engines()
    }
    assert len(found) == 1
    return found.pop()


def label(text: str, *places: Place, ink: str = "black", fill: str = "#eeeeee") -> Draw:
    def draw(canvas: ImageDraw.ImageDraw) -> None:
        for x, y in places:
            canvas.rectangle((x - 5, y - 5, x + 60, y + 20), fill=fill)
            canvas.text((x, y), text, fill=ink)

    return draw


def test_the_same_change_elsewhere_has_the_same_content() -> None:
    one, two = (
        content_of(label("Open", place), label("Close", place)) for place in (PLACES[0], PLACES[1])
    )
    assert one == two


def test_how_often_it_is_there_does_not_matter() -> None:
    once = content_of(label("Open", PLACES[0]), label("Close", PLACES[0]))
    assert once == content_of(label("Open", *PLACES), label("Close", *PLACES))


@pytest.mark.parametrize(
    "after",
    [
        label("Clos", *PLACES),
        label("", *PLACES),
        label("Close", *PLACES, ink="#999999"),
        label("Close", *PLACES, fill="#ffeecc"),
        label("Close", *PLACES[:2]),
    ],
    ids=["truncated", "vanished", "low contrast", "other background", "one is missing"],
)
def test_another_change_has_other_content(after: Draw) -> None:
    intended = content_of(label("Open", *PLACES), label("Close", *PLACES))
    assert not have_same_content(intended, content_of(label("Open", *PLACES), after))


def test_a_color_of_the_same_lightness_is_another_one() -> None:
    blue = content_of(label("Open", PLACES[0]), label("Open", PLACES[0], fill="#5282ff"))
    orange = content_of(label("Open", PLACES[0]), label("Open", PLACES[0], fill="#ff8252"))
    assert not have_same_content(blue, orange)
