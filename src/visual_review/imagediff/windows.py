"""Reads a part of a PNG file, shrunk on the way, in the memory of little more than the result."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image

from visual_review.imagediff.colors import Bytes
from visual_review.imagediff.decoder import rgba_bands
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits

WHITE: Final = 255
# Averaging whole blocks first is quick; the last step by a good filter needs twice the pixels.
KEPT_FOR_FILTER: Final = 2


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a picture and the size, in pixels, that it is shown in."""

    part: Box
    width: int
    height: int


def read_window(data: bytes, window: Window, limits: Limits = DEFAULT_LIMITS) -> Image.Image:
    """The part of the picture as RGB over white; raises ImageError.

    Enlarged pixels stay squares. The part must lie within the picture.
    """
    part = window.part
    step = max(1, int(min(part.width / window.width, part.height / window.height)))
    step = max(1, step // KEPT_FOR_FILTER)
    pieces = [np.asarray(piece) for piece in _shrunk(_rows(data, part, limits), step)]
    found = Image.fromarray(np.concatenate(pieces))
    size = (window.width, window.height)
    if window.width >= part.width:
        return found.resize(size, Image.Resampling.NEAREST)
    # The last block may stand for fewer pixels than the others.
    exact = (0.0, 0.0, part.width / step, part.height / step)
    return found.resize(size, Image.Resampling.LANCZOS, box=exact)


def _rows(data: bytes, part: Box, limits: Limits) -> Iterator[Bytes]:
    """The part's rows, some at a time; what lies below it is not read."""
    top, bottom = part.y, part.y + part.height
    y = 0
    for band in rgba_bands(data, limits):
        rows = band[max(0, top - y) : max(0, bottom - y), part.x : part.x + part.width]
        if len(rows):
            yield _over_white(rows)
        y += len(band)
        if y >= bottom:
            return


def _over_white(pixels: Bytes) -> Bytes:
    alpha = pixels[:, :, 3:]
    if (alpha == WHITE).all():
        return np.ascontiguousarray(pixels[:, :, :3])
    wide = pixels[:, :, :3].astype(np.uint16) * alpha + WHITE * (WHITE - alpha.astype(np.uint16))
    return ((wide + WHITE // 2) // WHITE).astype(np.uint8)


def _shrunk(bands: Iterator[Bytes], step: int) -> Iterator[Image.Image]:
    """Averages of ``step`` x ``step`` pixels, whatever the heights of the bands."""
    if step == 1:
        yield from (Image.fromarray(band) for band in bands)
        return
    waiting: list[Bytes] = []
    count = 0
    for band in bands:
        waiting.append(band)
        count += len(band)
        if count >= step:
            rows = np.concatenate(waiting)
            whole = count - count % step
            yield Image.fromarray(rows[:whole]).reduce(step)
            waiting, count = [rows[whole:]], count - whole
    if count:
        yield Image.fromarray(np.concatenate(waiting)).reduce(step)
