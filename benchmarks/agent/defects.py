"""Unwanted defects of eight kinds, planted in a screenshot at a place chosen by a seed."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image
from tests.support.imagediff.defects import read_pixels, write_png
from tests.support.imagediff.elements import Element, Pixels, cut, find_elements, fit_box

from visual_review.imagediff.model import Box

# A person sees a difference of more than this in a channel, in at least so many pixels.
CLEAR, FEWEST_PIXELS = 40, 150
# Smallest element for recognizing a defect, in pixels: as wide as a short word.
SMALLEST: Final = (30, 12)
EDGE: Final = 2
FADE: Final = 0.22
FARTHEST: Final = 60


@dataclass(frozen=True)
class Defect:
    """An image with a defect; ``box`` encloses every pixel changed by the defect."""

    kind: str
    box: Box
    png: bytes


def plant(png: bytes, kind: str, seed: object, before: bytes | None = None) -> Defect | None:
    """Return the image with one defect, or None if no element allows the defect.

    A defect must not restore the image ``before``, since nothing would have changed.
    """
    rng = random.Random(f"{kind} {seed}")
    pixels = read_pixels(png)
    earlier = None if before is None else read_pixels(before)
    for element in _choose_elements(rng, pixels):
        changed = pixels.copy()
        DEFECTS[kind](rng, changed, element)
        box = _find_damage(pixels, changed)
        if box is not None and not _is_restored(changed, earlier, box):
            return Defect(kind, box, write_png(changed))
    return None


def _choose_elements(rng: random.Random, pixels: Pixels) -> Sequence[Element]:
    found = [
        each
        for each in find_elements(pixels)
        if each.box.width >= SMALLEST[0] and each.box.height >= SMALLEST[1]
    ]
    rng.shuffle(found)
    return found


def _find_damage(pixels: Pixels, changed: Pixels) -> Box | None:
    apart = np.abs(changed.astype(np.int16) - pixels).max(axis=2)
    if np.count_nonzero(apart > CLEAR) < FEWEST_PIXELS:
        return None
    return fit_box(apart > 0)


def _is_restored(changed: Pixels, earlier: Pixels | None, box: Box) -> bool:
    if earlier is None or earlier.shape != changed.shape:
        return False
    return bool(np.array_equal(cut(changed, box), cut(earlier, box)))


def _with_edge(pixels: Pixels, element: Element) -> Pixels:
    """Return the element with the anti-aliased edge."""
    box, (height, width) = element.box, pixels.shape[:2]
    rows = slice(max(0, box.y - EDGE), min(height, box.y + box.height + EDGE))
    columns = slice(max(0, box.x - EDGE), min(width, box.x + box.width + EDGE))
    return pixels[rows, columns]


def _color_wrongly(_: random.Random, pixels: Pixels, element: Element) -> None:
    part = cut(pixels, element.box)[:, :, :3]
    colors = part.astype(np.int16)
    ink = np.abs(colors - element.background).max(axis=2) > CLEAR
    part[ink] = (colors[ink] + np.array((200, 60, 20))) // 2 + np.array((0, -30, 100)) // 2


def _move(rng: random.Random, pixels: Pixels, element: Element) -> None:
    """Move the element by 12 to 60 pixels, over whatever is there."""
    part = _with_edge(pixels, element)
    piece = part.copy()
    part[:, :, :3] = element.background
    height, width = pixels.shape[:2]
    steps = [rng.choice((-1, 1)) * rng.randrange(12, FARTHEST) for _ in range(2)]
    x = min(max(0, element.box.x + steps[0]), width - piece.shape[1])
    y = min(max(0, element.box.y + steps[1] // 2), height - piece.shape[0])
    pixels[y : y + piece.shape[0], x : x + piece.shape[1]] = piece


def _remove(_: random.Random, pixels: Pixels, element: Element) -> None:
    _with_edge(pixels, element)[:, :, :3] = element.background


def _truncate(rng: random.Random, pixels: Pixels, element: Element) -> None:
    part = _with_edge(pixels, element)
    part[:, round(part.shape[1] * rng.uniform(0.35, 0.65)) :, :3] = element.background


def _fade(_: random.Random, pixels: Pixels, element: Element) -> None:
    part = cut(pixels, element.box)
    away = part[:, :, :3].astype(np.float64) - element.background
    part[:, :, :3] = np.rint(element.background + FADE * away)


def _overlap(rng: random.Random, pixels: Pixels, element: Element) -> None:
    """Render the element a second time, over a part of itself and its neighborhood."""
    piece = cut(pixels, element.box).copy()
    ink = np.abs(piece[:, :, :3].astype(np.int16) - element.background).max(axis=2) > CLEAR
    down, right = max(4, piece.shape[0] // 3), rng.randrange(6, 20)
    target = pixels[element.box.y + down :, element.box.x + right :]
    height, width = (min(sizes) for sizes in zip(piece.shape[:2], target.shape[:2], strict=True))
    part = target[:height, :width]
    part[ink[:height, :width]] = piece[:height, :width][ink[:height, :width]]


def _blank(rng: random.Random, pixels: Pixels, element: Element) -> None:
    """Render nothing in a region around the element, as where an image did not load."""
    box, grow = element.box, rng.randrange(10, 40)
    rows = slice(max(0, box.y - grow), box.y + box.height + grow)
    columns = slice(max(0, box.x - grow), box.x + box.width + grow)
    pixels[rows, columns, :3] = (204, 204, 204)


def _enlarge(rng: random.Random, pixels: Pixels, element: Element) -> None:
    """Render the element in a size wrong by a third."""
    part = cut(pixels, element.box)
    factor = rng.choice((0.68, 1.35))
    height, width = (round(size * factor) for size in part.shape[:2])
    other = np.asarray(
        Image.fromarray(part.copy()).resize((width, height), Image.Resampling.LANCZOS)
    )
    part[:, :, :3] = element.background
    target = pixels[element.box.y :, element.box.x :]
    rows, columns = min(height, target.shape[0]), min(width, target.shape[1])
    target[:rows, :columns] = other[:rows, :columns]


DEFECTS: Final[Mapping[str, Callable[[random.Random, Pixels, Element], None]]] = {
    "wrong color": _color_wrongly,
    "moved element": _move,
    "missing element": _remove,
    "truncated text": _truncate,
    "low contrast": _fade,
    "overlap": _overlap,
    "blank region": _blank,
    "wrong font size": _enlarge,
}
