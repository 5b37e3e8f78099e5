"""Signatures of drawn and of real changes."""

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.signing import sign
from visual_review.imagediff.changes.alikeness import have_same_content
from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS

Draw = Callable[[ImageDraw.ImageDraw], None]
Place = tuple[int, int]
PLACES: tuple[Place, ...] = ((20, 20), (71, 33), (140, 90))


def content_of(before: Draw, after: Draw) -> str:
    return signature_of(before, after).content


def signature_of(before: Draw, after: Draw) -> Signature:
    """Return the signature, which all engines agree on."""
    images = []
    for draw in (before, after):
        image = Image.new("RGBA", (240, 160), (255, 255, 255, 255))
        draw(ImageDraw.Draw(image))
        images.append(encode(np.asarray(image)))
    found = {
        sign(engine.mark(images[0], images[1], DEFAULT_OPTIONS, DEFAULT_LIMITS))
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


def page(header: int, text: str) -> Draw:
    def draw(canvas: ImageDraw.ImageDraw) -> None:
        canvas.rectangle((0, 0, 239, header), fill="#24292f")
        canvas.text((10, 4), "Home   Docs", fill="white")
        for line, words in enumerate((text, text[::-1], text.upper())):
            canvas.text((10, header + 20 + 18 * line), words, fill="black")

    return draw


def geometry_of(before: Draw, after: Draw) -> str:
    return signature_of(before, after).geometry


def test_pages_that_moved_by_the_same_have_the_same_geometry() -> None:
    one, two = (geometry_of(page(24, text), page(40, text)) for text in ("Pricing", "Questions"))
    assert one
    assert one == two
    assert one != geometry_of(page(24, "Pricing"), page(44, "Pricing"))


def test_a_change_besides_a_move_is_another_geometry() -> None:
    intended = geometry_of(page(24, "Pricing"), page(40, "Pricing"))

    def with_label(canvas: ImageDraw.ImageDraw) -> None:
        page(40, "Pricing")(canvas)
        canvas.text((150, 130), "undefined", fill="black")

    assert geometry_of(page(24, "Pricing"), with_label) != intended
