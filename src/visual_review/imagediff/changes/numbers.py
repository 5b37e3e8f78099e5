"""Whether a line of text is a number: its digits are equally high, and equally far apart."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Side

# Of an area, in pixels, and how far a number may reach beyond the area.
HIGHEST, LONGEST = 40, 240
BESIDE, ABOVE = 32, 12
# Ink differs from the paper by so much; heights and distances are rounded.
INK: Final = 48
ROUNDING: Final = 1
LEAST_DIGITS: Final = 2
# A row with more ink is a line.
LINE: Final = 0.9
# A separator is at most such a part of the height of a digit.
SEPARATOR: Final = 0.45
# Columns without ink in a word, as a part of its height; more are the end of the word.
GAP: Final = 0.5
Glyph = tuple[int, int, int, int]


def is_number(marks: Marks, side: Side, box: Box) -> bool:
    """Return whether an area is within a number, searched for around the area."""
    if box.height > HIGHEST or box.width > LONGEST:
        return False
    width, height = marks.before if side == "before" else marks.after
    left, right = max(0, box.x - BESIDE), min(width, box.x + box.width + BESIDE)
    top, bottom = max(0, box.y - ABOVE), min(height, box.y + box.height + ABOVE)
    if right <= left or bottom <= top:
        return False
    pixels = marks.pair.crop(side, Box(left, top, right - left, bottom - top))
    glyphs = _find_glyphs(pixels, right - left, bottom - top)
    # Glyphs at the edge may be truncated.
    whole = [glyph for glyph in glyphs if glyph[0] > 0 and glyph[2] < right - left]
    own = _take_word(whole, box.x - left, box.x + box.width - left)
    return _are_digits(own)


def _find_glyphs(pixels: bytes, width: int, height: int) -> list[Glyph]:
    """Return left, top, right and bottom of columns with ink, from left to right."""
    # Of all channels, green is nearest to how bright a color looks.
    green = pixels[1::4]
    paper = Counter(green).most_common(1)[0][0]
    inked = bytearray(green.translate(bytes(abs(each - paper) > INK for each in range(256))))
    for first in range(0, len(inked), width):
        # A line below the text is not a part of the text.
        if inked.count(1, first, first + width) > LINE * width:
            inked[first : first + width] = bytes(width)
    spans: list[Glyph] = []
    start: int | None = None
    for x in range(width + 1):
        has_ink = x < width and 1 in inked[x::width]
        if has_ink and start is None:
            start = x
        if not has_ink and start is not None:
            rows = [y for y in range(height) if 1 in inked[y * width + start : y * width + x]]
            spans.append((start, rows[0], x, rows[-1] + 1))
            start = None
    return spans


def _take_word(glyphs: Sequence[Glyph], left: int, right: int) -> list[Glyph]:
    """Return the glyphs of the word with the columns ``left`` to ``right``."""
    gap = GAP * max((glyph[3] - glyph[1] for glyph in glyphs), default=0)
    found: list[list[Glyph]] = []
    for glyph in glyphs:
        if found and glyph[0] - found[-1][-1][2] <= gap:
            found[-1].append(glyph)
        else:
            found.append([glyph])
    return next((word for word in found if word[0][0] < right and left < word[-1][2]), [])


def _are_digits(word: Sequence[Glyph]) -> bool:
    """Return whether all but separators have the same top, most the same bottom, and one step.

    A comma may touch the digit before it. Capitals without a separator are as regular.
    """
    tallest = max((glyph[3] - glyph[1] for glyph in word), default=0)
    tall = [each for each in word if each[3] - each[1] > SEPARATOR * tallest]
    bottom = _median([each[3] for each in tall])
    digits = [each for each in tall if abs(each[3] - bottom) <= ROUNDING]
    separated = any(each not in digits for each in word[:-1])
    tops = [each[1] for each in tall]
    if len(digits) < LEAST_DIGITS or not separated or max(tops) - min(tops) > ROUNDING:
        return False
    steps = [
        (two[0] + two[2] - one[0] - one[2]) / 2
        for one, two in pairwise(word)
        if one in digits and two in digits
    ]
    is_regular = not steps or max(steps) - min(steps) <= 2 * ROUNDING
    return is_regular and 2 * len(digits) >= len(word)


def _median(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2] if values else 0
