"""Read and scale a part of a PNG file, in little more memory than the result needs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.reference.colors import OPAQUE, Bytes
from visual_review.imagediff.reference.decoder import read_bands

WHITE: Final = 255
# Averaging whole blocks first is fast; the better filter at the end needs twice the pixels.
FILTER_OVERSAMPLING: Final = 2


@dataclass(frozen=True, slots=True)
class Window:
    """A part of an image and the size, in pixels, at which it is shown.

    ``is_diff`` marks a diff image, on a faded background: scaling it down loses no difference.
    """

    part: Box
    width: int
    height: int
    is_diff: bool = False


def read_window(data: bytes, window: Window, limits: Limits = DEFAULT_LIMITS) -> Image.Image:
    """Return the part of the image as RGB on white; enlarged pixels stay square.

    The part must be within the image. Raises ImageError.
    """
    part = window.part
    rows = _read_rows(data, part, limits)
    if window.width >= part.width and window.height >= part.height:
        size = (window.width, window.height)
        return Image.fromarray(np.concatenate(list(rows))).resize(size, Image.Resampling.NEAREST)
    return _downscale_to_darkest(rows, window) if window.is_diff else _downscale(rows, window)


def _read_rows(data: bytes, part: Box, limits: Limits) -> Iterator[Bytes]:
    """Yield the part's rows, some at a time; nothing below it is read."""
    top, bottom = part.y, part.y + part.height
    y = 0
    for band in read_bands(data, limits):
        rows = band[max(0, top - y) : max(0, bottom - y), part.x : part.x + part.width]
        if len(rows):
            yield _blend_with_white(rows)
        y += len(band)
        if y >= bottom:
            return


def _blend_with_white(pixels: Bytes) -> Bytes:
    alpha = pixels[:, :, 3:]
    if (alpha == OPAQUE).all():
        return np.ascontiguousarray(pixels[:, :, :3])
    weights = alpha.astype(np.uint16)
    blended = pixels[:, :, :3] * weights + WHITE * (OPAQUE - weights)
    return ((blended + OPAQUE // 2) // OPAQUE).astype(np.uint8)


def _downscale(rows: Iterable[Bytes], window: Window) -> Image.Image:
    part = window.part
    step = int(min(part.width / window.width, part.height / window.height)) // FILTER_OVERSAMPLING
    step = max(1, step)
    pieces = [np.asarray(piece.reduce(step)) for piece in _group_rows(rows, step)]
    # The last block may cover fewer pixels than the others.
    exact = (0.0, 0.0, part.width / step, part.height / step)
    return Image.fromarray(np.concatenate(pieces)).resize(
        (window.width, window.height), Image.Resampling.LANCZOS, box=exact
    )


def _group_rows(bands: Iterable[Bytes], step: int) -> Iterator[Image.Image]:
    """Yield the same rows in whole blocks of ``step`` rows, except for the last."""
    waiting = None
    for band in bands:
        rows = band if waiting is None else np.concatenate((waiting, band))
        whole = len(rows) - len(rows) % step
        if whole:
            yield Image.fromarray(rows[:whole])
        waiting = rows[whole:]
    if waiting is not None and len(waiting):
        yield Image.fromarray(waiting)


def _downscale_to_darkest(rows: Iterable[Bytes], window: Window) -> Image.Image:
    """Keep the darkest value of each color: the faded background is never darker than marks."""
    narrow = [_pool_darkest(band, window.width, 1) for band in rows]
    return Image.fromarray(_pool_darkest(np.concatenate(narrow), window.height, 0))


def _pool_darkest(pixels: Bytes, size: int, axis: int) -> Bytes:
    starts: npt.NDArray[np.intp] = np.arange(size) * pixels.shape[axis] // size
    return np.minimum.reduceat(pixels, starts, axis=axis)
