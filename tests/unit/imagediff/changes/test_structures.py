"""Whether a story changed alike in a light and a dark theme."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.engines import available_engines
from visual_review.imagediff.changes.signatures import make_signature
from visual_review.imagediff.changes.structures import changed_alike
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS

Word = tuple[int, str, str]
# Page, card, text, weak text and accent of each theme; the light card is white on white.
LIGHT = {
    "page": "#ffffff",
    "card": "#ffffff",
    "text": "#262326",
    "weak": "#8c8c8c",
    "red": "#e0283c",
}
DARK = {
    "page": "#221d22",
    "card": "#3a343a",
    "text": "#e0dfe0",
    "weak": "#8a868a",
    "red": "#e54a5a",
}
BEFORE = [(30, "First item", "text"), (60, "Second item", "weak"), (90, "Delete", "red")]
MOVED = [(34, "First item", "text"), (70, "Second item", "weak"), (106, "Delete", "red")]


def draw(colors: dict[str, str], words: list[Word], bottom: int) -> bytes:
    image = Image.new("RGBA", (200, 180), colors["page"])
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((15, 20, 180, bottom), fill=colors["card"])
    font = ImageFont.load_default(15)
    for y, word, color in words:
        canvas.text((28, y), word, fill=colors.get(color, color), font=font)
    return encode(np.asarray(image))


def structure_of(colors: dict[str, str], after: list[Word]) -> str:
    """Return the structure, which all engines agree on."""
    images = (draw(colors, BEFORE, 120), draw(colors, after, 136))
    found = {
        make_signature(engine.mark(*images, DEFAULT_OPTIONS, DEFAULT_LIMITS)).structure
        for engine in available_engines()
    }
    assert len(found) == 1
    return found.pop()


def test_the_same_move_in_light_and_dark_is_alike() -> None:
    light, dark = structure_of(LIGHT, MOVED), structure_of(DARK, MOVED)
    assert light
    assert changed_alike(light, dark)
    assert changed_alike(dark, light)


@pytest.mark.parametrize(
    "after",
    [
        MOVED[:2],
        [*MOVED[:2], (106, "Dele", "red")],
        [*MOVED[:2], (111, "Delete", "red")],
        [MOVED[0], (70, "Second item", "#d8d8d8"), MOVED[2]],
        [*MOVED[:2], (106, "Delete", "#3c28e0")],
        [*MOVED, (140, "undefined", "text")],
    ],
    ids=["vanished", "truncated", "other place", "low contrast", "swapped colors", "stray label"],
)
def test_a_defect_in_one_theme_is_not_alike(after: list[Word]) -> None:
    dark = structure_of(DARK, MOVED)
    assert not changed_alike(structure_of(LIGHT, after), dark)


def test_without_shapes_nothing_is_alike() -> None:
    assert not changed_alike("", "")
    assert not changed_alike("", structure_of(DARK, MOVED))
