"""Read and scale a part of a PNG file, in little more memory than the result needs."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from PIL import Image, ImageChops

from visual_review.imagediff.engine import engine
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.port import DecodedImage

WHITE: Final = (255, 255, 255)
OPAQUE: Final = (255, 255)
# Averaging whole blocks first is fast; the better filter at the end needs twice the pixels.
FILTER_OVERSAMPLING: Final = 2


@dataclass(frozen=True, slots=True)
class Window:
    """A part of an image and its shown size, in pixels.

    ``is_diff`` marks a diff image, on a faded background: scaling down loses no difference.
    ``compact`` averages without sharpening: files of half the size, since flat areas stay flat.
    """

    part: Box
    width: int
    height: int
    is_diff: bool = False
    compact: bool = False


def read_window(data: bytes, window: Window, limits: Limits = DEFAULT_LIMITS) -> Image.Image:
    """Return the part of the image as RGB on white; enlarged pixels stay square.

    The part must be within the image. Raises ImageError.
    """
    part, size = window.part, (window.width, window.height)
    rows = _read_rows(data, part, limits)
    if window.width >= part.width and window.height >= part.height:
        whole = _stack(list(rows))
        is_unscaled = size == (part.width, part.height)
        return whole if is_unscaled else whole.resize(size, Image.Resampling.NEAREST)
    return _downscale_to_darkest(rows, size) if window.is_diff else _downscale(rows, window)


def _read_rows(data: bytes, part: Box, limits: Limits) -> Iterator[Image.Image]:
    """Yield the part's rows, some at a time; rows below the part are not read."""
    top, bottom = part.y, part.y + part.height
    y = 0
    for band in engine().read_bands(data, limits):
        first, last = max(0, top - y), min(band.height, bottom - y)
        if first < last:
            yield _blend_with_white(_crop(band, (part.x, first, part.x + part.width, last)))
        y += band.height
        if y >= bottom:
            return


def _crop(band: DecodedImage, box: tuple[int, int, int, int]) -> Image.Image:
    size = (band.width, band.height)
    # The pixels are read in place, in any kind of buffer; only the crop is a copy.
    whole = Image.frombuffer("RGBA", size, cast("bytes", band.pixels), "raw", "RGBA", 0, 1)
    return whole.crop(box)


def _blend_with_white(pixels: Image.Image) -> Image.Image:
    alpha = pixels.getchannel("A")
    if alpha.getextrema() == OPAQUE:
        return pixels.convert("RGB")
    white = Image.new("RGB", pixels.size, WHITE)
    white.paste(pixels.convert("RGB"), mask=alpha)
    return white


def _downscale(rows: Iterable[Image.Image], window: Window) -> Image.Image:
    part = window.part
    step = int(min(part.width / window.width, part.height / window.height)) // FILTER_OVERSAMPLING
    step = max(1, step)
    reduced = _stack([piece.reduce(step) for piece in _group_rows(rows, step)])
    # The last block may cover fewer pixels than the others.
    exact = (0.0, 0.0, part.width / step, part.height / step)
    sampling = Image.Resampling.BOX if window.compact else Image.Resampling.LANCZOS
    return reduced.resize((window.width, window.height), sampling, box=exact)


def _group_rows(bands: Iterable[Image.Image], step: int) -> Iterator[Image.Image]:
    """Yield the same rows in whole blocks of ``step`` rows, except for the last."""
    waiting: list[Image.Image] = []
    for band in bands:
        rows = _stack([*waiting, band])
        whole = rows.height - rows.height % step
        if whole:
            yield rows.crop((0, 0, rows.width, whole))
        waiting = [rows.crop((0, whole, rows.width, rows.height))] if whole < rows.height else []
    yield from waiting


def _stack(pieces: list[Image.Image]) -> Image.Image:
    if len(pieces) == 1:
        return pieces[0]
    whole = Image.new("RGB", (pieces[0].width, sum(piece.height for piece in pieces)))
    top = 0
    for piece in pieces:
        whole.paste(piece, (0, top))
        top += piece.height
    return whole


def _downscale_to_darkest(rows: Iterable[Image.Image], size: tuple[int, int]) -> Image.Image:
    """Keep the darkest value of each color: the faded background is never darker than marks."""
    narrow = _stack([_pool_darkest(band, (size[0], band.height)) for band in rows])
    return _pool_darkest(narrow, size)


def _pool_darkest(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Scale one side down: each pixel is the darkest of the covered ones."""
    across, down = image.width / size[0], image.height / size[1]
    pooled: Image.Image | None = None
    for offset in range(math.ceil(max(across, down))):
        x, y = (offset if factor > 1 else 0 for factor in (across, down))
        # The center of the first pixel becomes the center of one pixel of the source.
        left, top = x + (1 - across) / 2, y + (1 - down) / 2
        found = image.transform(
            size,
            Image.Transform.AFFINE,
            (across, 0, left, 0, down, top),
            Image.Resampling.NEAREST,
            fillcolor=WHITE,
        )
        pooled = found if pooled is None else ImageChops.darker(pooled, found)
    return image if pooled is None else pooled
