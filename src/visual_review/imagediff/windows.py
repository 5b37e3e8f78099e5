"""Reads a part of a PNG file, shrunk on the way, in the memory of little more than the result."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from visual_review.imagediff.colors import OPAQUE, Bytes
from visual_review.imagediff.decoder import rgba_bands
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits

WHITE: Final = 255
# Averaging whole blocks first is quick; the good filter at the end needs twice the pixels.
KEPT_FOR_FILTER: Final = 2


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a picture and the size, in pixels, that it is shown in.

    ``marks`` says that it is a drawing of marks on faded ground: shrinking loses none of them.
    """

    part: Box
    width: int
    height: int
    marks: bool = False


def read_window(data: bytes, window: Window, limits: Limits = DEFAULT_LIMITS) -> Image.Image:
    """The part of the picture as RGB over white; enlarged pixels stay squares.

    The part must lie within the picture. Raises ImageError.
    """
    part = window.part
    rows = _rows(data, part, limits)
    if window.width >= part.width and window.height >= part.height:
        size = (window.width, window.height)
        return Image.fromarray(np.concatenate(list(rows))).resize(size, Image.Resampling.NEAREST)
    return _darkest(rows, window) if window.marks else _averaged(rows, window)


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
    if (alpha == OPAQUE).all():
        return np.ascontiguousarray(pixels[:, :, :3])
    veil = alpha.astype(np.uint16)
    laid = pixels[:, :, :3] * veil + WHITE * (OPAQUE - veil)
    return ((laid + OPAQUE // 2) // OPAQUE).astype(np.uint8)


def _averaged(rows: Iterable[Bytes], window: Window) -> Image.Image:
    part = window.part
    step = int(min(part.width / window.width, part.height / window.height)) // KEPT_FOR_FILTER
    step = max(1, step)
    pieces = [np.asarray(piece.reduce(step)) for piece in _blocks(rows, step)]
    # The last block may stand for fewer pixels than the others.
    exact = (0.0, 0.0, part.width / step, part.height / step)
    return Image.fromarray(np.concatenate(pieces)).resize(
        (window.width, window.height), Image.Resampling.LANCZOS, box=exact
    )


def _blocks(bands: Iterable[Bytes], step: int) -> Iterator[Image.Image]:
    """The same rows in pieces of whole blocks of ``step`` rows, but for the last."""
    waiting = None
    for band in bands:
        rows = band if waiting is None else np.concatenate((waiting, band))
        whole = len(rows) - len(rows) % step
        if whole:
            yield Image.fromarray(rows[:whole])
        waiting = rows[whole:]
    if waiting is not None and len(waiting):
        yield Image.fromarray(waiting)


def _darkest(rows: Iterable[Bytes], window: Window) -> Image.Image:
    """Of all pixels that share one the darkest of each colour: faded ground is never darker."""
    narrow = [_pooled(band, window.width, 1) for band in rows]
    return Image.fromarray(_pooled(np.concatenate(narrow), window.height, 0))


def _pooled(pixels: Bytes, size: int, axis: int) -> Bytes:
    starts: npt.NDArray[np.intp] = np.arange(size) * pixels.shape[axis] // size
    return np.minimum.reduceat(pixels, starts, axis=axis)
