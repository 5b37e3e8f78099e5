"""Defects below the threshold of each pixel, with place and strength chosen by a seed.

Each function returns both images, because a vanishing thing has to be there first.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from tests.support.imagediff.defects import write_png
from tests.support.imagediff.elements import (
    Color,
    Element,
    Pixels,
    cut,
    find_background,
    find_elements,
    fit_box,
)
from visual_review.imagediff.model import Box

FaintKind = Literal[
    "card_to_white", "border_gone", "border_color", "text_contrast", "text_paler", "faded"
]
Values = npt.NDArray[np.float64]

# A person sees these differences next to each other; a threshold of 0.1 passes up to about 26.
CARD, LINE = (5, 22), (9, 24)
STRONG, WEAK = 7.0, 4.0
# The same for pale text.
PALE, PALER = 5.0, 4.0
FADED = 0.15
# The least size, levels and number of pixels of a defect that matters.
LARGE, VISIBLE, FEWEST = 24 * 24, 8, 40
ATTEMPTS: Final = 30
MIDDLE, WHITE = 128, 255
TEXT_HEIGHTS, TEXT_CONTRAST, MOST_SOLID = (7, 40), 80, 0.5
SMOOTHING: Final = 4


@dataclass(frozen=True)
class FaintDefect:
    """Two images of one page; ``box`` encloses every different pixel."""

    kind: FaintKind
    before: bytes
    after: bytes
    box: Box


def plant_faint_defect(page: Pixels, kind: FaintKind, seed: object) -> FaintDefect | None:
    """Return the page before and after, or None without a place for the defect."""
    rng = random.Random(f"{kind} {seed}")
    elements = find_elements(page)
    for _ in range(ATTEMPTS if elements else 0):
        made = DEFECTS[kind](rng, page, rng.choice(elements))
        if made is None:
            continue
        before, after = (np.round(each).astype(np.uint8) for each in made)
        apart = np.abs(after.astype(np.int16) - before)[:, :, :3].max(axis=2)
        least = CARD[0] if kind == "card_to_white" else VISIBLE
        if np.count_nonzero(apart >= least) < max(FEWEST, np.count_nonzero(apart) // 2):
            continue
        box = fit_box(apart > 0)
        if box.width * box.height > LARGE:
            return FaintDefect(kind, write_png(before), write_png(after), box)
    return None


def card_to_white(
    rng: random.Random, page: Pixels, element: Element
) -> tuple[Values, Values] | None:
    """Shade a rounded rectangle with its content in the earlier image."""
    box = _grow(element.box, rng.randint(6, 24), page)
    cover = _rounded(page, box, rng.randint(0, 12))[:, :, None]
    after = page.astype(np.float64)
    amount = rng.uniform(*CARD)
    is_light = _luma(element.background) > MIDDLE
    shaded = after * (1 - amount / WHITE) if is_light else after + amount * (1 - after / WHITE)
    return _blend(after, shaded, cover), after


def border_gone(rng: random.Random, page: Pixels, element: Element) -> tuple[Values, Values] | None:
    color = _away(element.background, rng.uniform(*LINE))
    path = _border(rng, page, element)
    return _blend(page, color, path), page.astype(np.float64)


def border_color(
    rng: random.Random, page: Pixels, element: Element
) -> tuple[Values, Values] | None:
    path = _border(rng, page, element)
    first = _away(element.background, rng.uniform(20, 90))
    change = rng.uniform(*LINE)
    # Half of them get another brightness, half another hue.
    direction = rng.choice(((1, 1, 1), (-1, -1, -1), (1, 0, -1), (-1, 0, 1)))
    second = np.clip(first + change * np.array((*direction, 0)), 0, WHITE)
    return _blend(page, first, path), _blend(page, second, path)


def text_contrast(
    rng: random.Random, page: Pixels, element: Element
) -> tuple[Values, Values] | None:
    """Draw an element, such as text, in gray of contrast 7:1 and of 4:1."""
    del rng
    return _recolor(page, element, (STRONG, WEAK))


def text_paler(rng: random.Random, page: Pixels, element: Element) -> tuple[Values, Values] | None:
    del rng
    return _recolor(page, element, (PALE, PALER))


def _recolor(
    page: Pixels, element: Element, contrasts: tuple[float, float]
) -> tuple[Values, Values] | None:
    box, background = element.box, np.array(element.background, np.float64)
    part = cut(page, box)[:, :, :3].astype(np.float64)
    distance = np.abs(_lumas(part) - _luma(element.background))
    if not TEXT_HEIGHTS[0] <= box.height <= TEXT_HEIGHTS[1] or distance.max() < TEXT_CONTRAST:
        return None
    cover = (distance / distance.max())[:, :, None]
    if np.count_nonzero(cover > 1 - FADED) > MOST_SOLID * cover.size:
        return None
    made = []
    for contrast in contrasts:
        color = _gray_of_contrast(contrast, element.background)
        if color is None:
            return None
        image = page.astype(np.float64)
        cut(image, box)[:, :, :3] = background + cover * (color - background)  # type: ignore[arg-type,type-var]
        made.append(image)
    return made[0], made[1]


def faded(rng: random.Random, page: Pixels, element: Element) -> tuple[Values, Values] | None:
    """Fade the whole page towards white or the background."""
    del element
    color = rng.choice(((WHITE,) * 3, find_background(page)))
    return page.astype(np.float64), _blend(page, np.array((*color, WHITE)), np.float64(FADED))


DEFECTS: Mapping[
    FaintKind,
    Callable[[random.Random, Pixels, Element], tuple[Values, Values] | None],
] = {
    "card_to_white": card_to_white,
    "border_gone": border_gone,
    "border_color": border_color,
    "text_contrast": text_contrast,
    "text_paler": text_paler,
    "faded": faded,
}


def _blend(page: npt.NDArray[np.generic], color: Values, cover: Values | np.float64) -> Values:
    pixels: Values = page.astype(np.float64)
    return pixels + (color - pixels) * cover


def _away(background: Color, amount: float) -> Values:
    """Return a color of another brightness: darker on a light background, lighter on a dark one."""
    sign = -1 if _luma(background) > MIDDLE else 1
    return np.clip(np.array((*background, WHITE)) + sign * np.array((amount,) * 3 + (0,)), 0, WHITE)


def _border(rng: random.Random, page: Pixels, element: Element) -> Values:
    box = _grow(element.box, rng.randint(3, 14), page)
    radius = rng.randint(0, 8)
    inner = Box(box.x + 1, box.y + 1, max(0, box.width - 2), max(0, box.height - 2))
    ring = _rounded(page, box, radius) - _rounded(page, inner, max(0, radius - 1))
    return ring[:, :, None]


def _rounded(page: Pixels, box: Box, radius: int) -> Values:
    """Return how much of each pixel a rounded rectangle covers."""
    drawn = Image.new("L", (box.width * SMOOTHING, box.height * SMOOTHING))
    right, bottom = drawn.width - 1, drawn.height - 1
    ImageDraw.Draw(drawn).rounded_rectangle((0, 0, right, bottom), radius * SMOOTHING, WHITE)
    cover = np.zeros(page.shape[:2])
    small = drawn.resize((box.width, box.height), Image.Resampling.BOX)
    cut(cover, box)[:] = np.asarray(small, np.float64) / WHITE  # type: ignore[arg-type,type-var]
    return cover


def _grow(box: Box, margin: int, page: Pixels) -> Box:
    left, top = max(0, box.x - margin), max(0, box.y - margin)
    right = min(page.shape[1], box.x + box.width + margin)
    bottom = min(page.shape[0], box.y + box.height + margin)
    return Box(left, top, right - left, bottom - top)


def _lumas(colors: Values) -> Values:
    return colors @ np.array((0.299, 0.587, 0.114))


def _luma(color: Color) -> float:
    return float(_lumas(np.array(color, np.float64)))


def _gray_of_contrast(contrast: float, background: Color) -> Values | None:
    """Return the gray with nearly the given contrast, as defined by WCAG 2."""
    ground = _luminance(background)
    darker, lighter = (ground + 0.05) / contrast - 0.05, (ground + 0.05) * contrast - 0.05
    wanted = darker if darker >= 0 else lighter
    if not 0 <= wanted <= 1:
        return None
    grays = range(WHITE + 1)
    best = min(grays, key=lambda gray: abs(_luminance((gray,) * 3) - wanted))
    return np.array((best,) * 3, np.float64)


def _luminance(color: Color) -> float:
    parts = [value / WHITE for value in color]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
