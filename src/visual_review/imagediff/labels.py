"""Draws one line of text into a box; what does not fit, or cannot be drawn, is cut."""

import unicodedata
from functools import cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from visual_review.imagediff.model import Box

Color = tuple[int, int, int]

ELLIPSIS: Final = "…"
# Looked at before anything is measured; no line has room for more.
MOST_LETTERS: Final = 300
UNDRAWABLE: Final = "\N{WHITE SQUARE}"


def draw_line(canvas: Image.Image, place: Box, text: str, size: int, color: Color) -> None:
    """Write ``text`` in the box, cut to its width, in letters of ``size`` pixels."""
    strip = canvas.crop((place.x, place.y, place.x + place.width, place.y + place.height))
    line = fitting(text, size, place.width)
    # Drawn on a strip of its own, so that no letter reaches beyond the box.
    ImageDraw.Draw(strip).text((0, place.height / 2), line, color, _font(size), anchor="lm")
    canvas.paste(strip, (place.x, place.y))


def fitting(text: str, size: int, width: int) -> str:
    """``text`` made drawable, and cut where it would be wider than ``width`` pixels."""
    font = _font(size)
    line = drawable(text)
    if font.getlength(line) <= width:
        return line
    while line and font.getlength(line + ELLIPSIS) > width:
        line = line[:-1]
    return line.rstrip() + ELLIPSIS


def drawable(text: str) -> str:
    """Printable text in one line; letters the font lacks lose their accents or become squares."""
    line = " ".join(text[: 2 * MOST_LETTERS].split())[:MOST_LETTERS]
    plain = (letter for sign in line for letter in _known(sign))
    return "".join(letter for letter in plain if letter.isprintable())


def _known(sign: str) -> str:
    if sign.isascii() or sign == ELLIPSIS:
        return sign
    base = "".join(part for part in unicodedata.normalize("NFKD", sign) if part.isascii())
    if base or unicodedata.category(sign)[0] in {"C", "M"}:
        return base
    return UNDRAWABLE


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    # Only a Pillow without FreeType has another font, and its wheels come with it.
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType; install its wheel.")
    return font
