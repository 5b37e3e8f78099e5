"""Defects planted in screenshots: effects of a careless change, at a place chosen by a seed.

A defect is planted in the image after a real change, so that a screenshot has both an intended
change and an unwanted one.
"""

import io
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.support.imagediff.elements import Element, Pixels, cut, find_elements, fit_box
from visual_review.imagediff.model import Box

DefectKind = Literal["vanished", "torn", "swapped", "truncated", "low_contrast", "stray_label"]

TEAR, FADE, MARGIN = 5, 0.35, 2
# The least a person sees of a defect: some clearly different pixels.
CLEAR, FEWEST_PIXELS, ATTEMPTS = 40, 12, 40
LABELS: Final = ("undefined", "TODO", "NaN", "null", "Label", "[object Object]")


@dataclass(frozen=True)
class Defect:
    """An image with a defect; ``box`` encloses every pixel changed by the defect."""

    kind: DefectKind
    box: Box
    png: bytes


def plant_defect(
    after: bytes, kind: DefectKind, seed: object, near: Sequence[Box] = ()
) -> Defect | None:
    """Return the image with one defect, or None where nothing in it can have the defect.

    Every second defect is in or next to one of the boxes ``near``, if there are elements there.
    """
    rng = random.Random(f"{kind} {seed}")
    pixels = read_pixels(after)
    for element in _choose_elements(rng, pixels, kind, near):
        changed = pixels.copy()
        DAMAGE[kind](rng, changed, element)
        apart = np.abs(changed.astype(np.int16) - pixels).max(axis=2)
        if np.count_nonzero(apart > CLEAR) >= FEWEST_PIXELS:
            return Defect(kind, fit_box(apart > 0), write_png(changed))
    return None


def read_pixels(png: bytes) -> Pixels:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGBA")).copy()


def write_png(pixels: Pixels) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def _choose_elements(
    rng: random.Random, pixels: Pixels, kind: DefectKind, near: Sequence[Box]
) -> list[Element]:
    if kind == "stray_label":
        return [_random_place(rng, pixels) for _ in range(ATTEMPTS)]
    found = find_elements(pixels)
    rng.shuffle(found)
    if near and rng.random() < 0.5:
        # Sorting keeps the random order among near elements, and among the others.
        found.sort(key=lambda each: not any(_touch(each.box, box) for box in near))
    return found[:ATTEMPTS]


def _random_place(rng: random.Random, pixels: Pixels) -> Element:
    height, width = pixels.shape[:2]
    box = Box(rng.randrange(max(1, width - 40)), rng.randrange(max(1, height - 14)), 40, 14)
    return Element(box, _color_at(pixels, box))


def _color_at(pixels: Pixels, box: Box) -> tuple[int, int, int]:
    red, green, blue = pixels[box.y, box.x, :3].tolist()
    return red, green, blue


def _touch(one: Box, two: Box) -> bool:
    return (
        one.x < two.x + two.width + MARGIN
        and two.x < one.x + one.width + MARGIN
        and one.y < two.y + two.height + MARGIN
        and two.y < one.y + one.height + MARGIN
    )


def _erase(_: random.Random, pixels: Pixels, element: Element) -> None:
    _with_edge(pixels, element)[:, :, :3] = element.background


def _truncate(rng: random.Random, pixels: Pixels, element: Element) -> None:
    part = _with_edge(pixels, element)
    part[:, round(part.shape[1] * rng.uniform(0.4, 0.75)) :, :3] = element.background


def _tear(rng: random.Random, pixels: Pixels, element: Element) -> None:
    """Move the right part of an element down or up by a few pixels."""
    part = _with_edge(pixels, element)
    right = part[:, round(part.shape[1] * rng.uniform(0.3, 0.7)) :]
    step = TEAR if rng.random() < 0.5 else -TEAR
    moved = np.roll(right, step, axis=0)
    moved[slice(0, step) if step > 0 else slice(step, None), :, :3] = element.background
    right[:] = moved


def _swap_colors(_: random.Random, pixels: Pixels, element: Element) -> None:
    """Swap red and blue; of gray elements, swap light and dark."""
    part = cut(pixels, element.box)
    colors = part[:, :, :3].astype(np.int16)
    if np.count_nonzero(np.ptp(colors, axis=2) > CLEAR) >= FEWEST_PIXELS:
        part[:, :, :3] = part[:, :, 2::-1].copy()
    else:
        part[:, :, :3] = 255 - colors


def _fade(_: random.Random, pixels: Pixels, element: Element) -> None:
    part = cut(pixels, element.box)
    away = part[:, :, :3].astype(np.float64) - element.background
    part[:, :, :3] = np.rint(element.background + FADE * away)


def _add_label(rng: random.Random, pixels: Pixels, element: Element) -> None:
    image = Image.fromarray(pixels)
    font = ImageFont.load_default(rng.uniform(11, 16))
    dark = sum(element.background) < 3 * 128
    ink = (235, 235, 235) if dark else (30, 30, 30)
    ImageDraw.Draw(image).text((element.box.x, element.box.y), rng.choice(LABELS), ink, font)
    pixels[:] = np.asarray(image)


def _with_edge(pixels: Pixels, element: Element) -> Pixels:
    """Return the element with the anti-aliased edge."""
    box, height, width = element.box, *pixels.shape[:2]
    top, left = max(0, box.y - MARGIN), max(0, box.x - MARGIN)
    bottom = min(height, box.y + box.height + MARGIN)
    right = min(width, box.x + box.width + MARGIN)
    return pixels[top:bottom, left:right]


DAMAGE: Mapping[DefectKind, Callable[[random.Random, Pixels, Element], None]] = {
    "vanished": _erase,
    "torn": _tear,
    "swapped": _swap_colors,
    "truncated": _truncate,
    "low_contrast": _fade,
    "stray_label": _add_label,
}
DEFECT_KINDS: Final[tuple[DefectKind, ...]] = tuple(DAMAGE)
