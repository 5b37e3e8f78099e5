"""Draw one line of text into a box, truncated to fit, without unprintable characters."""

import math
import unicodedata
from functools import cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from visual_review.imagediff.model import Box

Color = tuple[int, int, int]

ELLIPSIS: Final = "…"
# Applied before anything is measured; no line has room for more.
MOST_CHARACTERS: Final = 300
REPLACEMENT: Final = "\N{WHITE SQUARE}"


def draw_line(canvas: Image.Image, box: Box, text: str, size: int, color: Color) -> None:
    """Draw ``text`` into the box, truncated to its width, in a font of ``size`` pixels."""
    strip = canvas.crop((box.x, box.y, box.x + box.width, box.y + box.height))
    line = fit_text(text, size, box.width)
    # Drawn on a separate strip, so nothing is drawn beyond the box.
    ImageDraw.Draw(strip).text((0, box.height / 2), line, color, _font(size), anchor="lm")
    canvas.paste(strip, (box.x, box.y))


def fit_text(text: str, size: int, width: int) -> str:
    """Return ``text`` in characters of the font, truncated to ``width`` pixels."""
    font = _font(size)
    line = replace_undrawable(text)
    if font.getlength(line) <= width:
        return line
    fitting, too_long = 0, len(line)
    while too_long - fitting > 1:
        middle = (fitting + too_long) // 2
        fits = font.getlength(line[:middle] + ELLIPSIS) <= width
        fitting, too_long = (middle, too_long) if fits else (fitting, middle)
    return line[:fitting].rstrip() + ELLIPSIS


def fit_both_ends(text: str, size: int, width: int) -> str:
    """Return ``text``, or its beginning and end if too long: names often differ at the end."""
    line = replace_undrawable(text)
    if _font(size).getlength(line) <= width:
        return line
    kept, too_many = 0, len(line)
    while too_many - kept > 1:
        middle = (kept + too_many) // 2
        fits = _font(size).getlength(_keep_ends(line, middle)) <= width
        kept, too_many = (middle, too_many) if fits else (kept, middle)
    return _keep_ends(line, kept)


def _keep_ends(line: str, count: int) -> str:
    first = count // 2
    return f"{line[:first].rstrip()}{ELLIPSIS}{line[len(line) - (count - first) :].lstrip()}"


def text_width(text: str, size: int) -> int:
    """Return the width in pixels of a line, written in characters of the font."""
    return math.ceil(_font(size).getlength(replace_undrawable(text)))


def replace_undrawable(text: str) -> str:
    """Return printable text in one line; accents the font lacks are dropped, letters replaced."""
    line = " ".join(text[: 2 * MOST_CHARACTERS].split())[:MOST_CHARACTERS]
    replaced = "".join(_replace_unknown(character) for character in line)
    return "".join(character for character in replaced if character.isprintable())


def _replace_unknown(character: str) -> str:
    if character.isascii() or character == ELLIPSIS:
        return character
    base = "".join(part for part in unicodedata.normalize("NFKD", character) if part.isascii())
    if base or unicodedata.category(character)[0] in {"C", "M"}:
        return base
    return REPLACEMENT


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    # Only a Pillow without FreeType has another font; its wheels include FreeType.
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType; install its wheel.")
    return font
