"""Two images compared by numpy, for later drawings and measurements."""

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.diff_png import (
    BLANK,
    CHANGED,
    FAINTLY_CHANGED,
    HATCHED,
    HATCHED_CHANGE,
    SHADES,
    SMOOTHED,
    write_diff_png,
)
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import (
    MOST_SHAPES,
    Alignment,
    Buffer,
    Element,
    FaintAreas,
    Move,
    Outline,
    Piece,
    Side,
)
from visual_review.imagediff.reference.accounting import MaskedPair, account
from visual_review.imagediff.reference.boxes import connect_pixels, find_changed_boxes
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.faint import find_faint
from visual_review.imagediff.reference.features import measure_area
from visual_review.imagediff.reference.masks import ANTI_ALIASED, DIFFERENT, FAINT, Flags, Mask
from visual_review.imagediff.reference.moves import find_moves
from visual_review.imagediff.reference.rest import Rest
from visual_review.imagediff.sketch import CELL, Color, Sketch, find_hue, weigh

Values = npt.NDArray[np.int64]
# Neighbors with a larger difference in lightness are the end of a shape.
STEP: Final = 12
# A straight edge of such a length belongs to a card, a line or an image, and not to a letter.
LONG: Final = 32
MIDDLE: Final = 128
OPAQUE: Final = 255
Indices = npt.NDArray[np.uint8]
HATCH_PERIOD: Final = 8
HATCH_WIDTH: Final = 2
STRIPE: Final = 1 << 18
# Luma in 1/256; the sum is 256, so white stays white.
LUMA: Final = (77, 150, 29)
# Of the shared part, and of each strip in only one image: 50 together.
SHARED_BOXES: Final = 40
STRIP_BOXES: Final = 5
# In moved content, at least so many different pixels have another one next to them.
LEAST_PAIRS: Final = 20
Area = tuple[int, int, int, int]
Planes = tuple[bytes, bytes, bytes]
MOST_INK: Final = 32_767


@dataclass(slots=True)
class NumpyPair:
    """Both images as RGBA arrays, and the mask; ``regions`` flags ignored pixels."""

    before: Bytes
    after: Bytes
    mask: Mask
    regions: Flags | None
    threshold: float
    faint: FaintAreas | None = field(default=None, init=False)

    def draw(self) -> bytes:
        self.find_faint()
        return render_mask(self.before, self.after, self.mask, self.regions)

    def crop(self, side: Side, box: Box) -> bytes:
        image = self.before if side == "before" else self.after
        return image[box.y : box.y + box.height, box.x : box.x + box.width].tobytes()

    def sketch(self, side: Side, box: Box) -> Sketch | None:
        pixels = self.crop(side, box)
        is_opaque = min(pixels[3::4]) == OPAQUE
        return draw_sketch(pixels, box.width, box.height) if is_opaque else None

    def measure(self, mask: Buffer, box: Box, offset: tuple[int, int] = (0, 0)) -> AreaFeatures:
        marks: Mask = np.frombuffer(mask, np.uint8).reshape(self.mask.shape)
        return measure_area((self.before, self.after), marks, box, offset)

    def find_pieces(self, alignment: Alignment) -> tuple[Piece, ...] | None:
        self.find_faint()
        aligned: Mask = np.frombuffer(alignment.mask, np.uint8).reshape(self.mask.shape)
        rest = Rest(self.before, self.after, self.mask, aligned, alignment.moves)
        return rest.find_pieces(self.regions)

    def outline(self, side: Side, top: int, bottom: int) -> Outline | None:
        return trace_outline(self.before if side == "before" else self.after, top, bottom)

    def find_faint(self) -> FaintAreas:
        if self.faint is None:
            self.faint = find_faint(self.before, self.after, self.mask, self.regions)
        return self.faint

    def align(self) -> Alignment:
        return align(MaskedPair(self.before, self.after, self.mask, self.regions, self.threshold))


def align(pair: MaskedPair) -> Alignment:
    """Find moved content, and the remaining differences."""
    plain = (pair.mask == DIFFERENT).astype(np.uint8)
    moves, mask = _find_moves(pair)
    # Moves explain nothing if they leave more differences than a comparison in place.
    if not moves or _count(mask, pair.regions) > _count(plain, pair.regions):
        moves, mask = [], plain
    return Alignment(
        moves=tuple(moves),
        mask=mask.data.cast("B"),
        pixels=_count(mask, pair.regions),
        boxes=_find_boxes(mask, pair),
    )


def _find_moves(pair: MaskedPair) -> tuple[list[Move], Mask]:
    """Return moves, and a mask of new and lost pixels."""
    if _is_scattered(pair.mask == DIFFERENT):
        return [], np.zeros_like(pair.mask)
    moves, labels = find_moves(pair.before, pair.after, pair.mask)
    account(pair, moves, labels)
    return moves, labels


def _is_scattered(different: Flags) -> bool:
    """Return whether hardly any pixel has another one next to it, a sign of no moves."""
    across = np.count_nonzero(different[:, 1:] & different[:, :-1])
    down = np.count_nonzero(different[1:] & different[:-1])
    return int(across + down) < LEAST_PAIRS


def _count(mask: Mask, regions: Flags | None) -> int:
    marked = mask != 0
    return int(np.count_nonzero(marked if regions is None else marked & ~regions))


def _find_boxes(mask: Mask, pair: MaskedPair) -> tuple[Box, ...]:
    """Return boxes, each either in both images or in one."""
    marked = mask != 0 if pair.regions is None else (mask != 0) & ~pair.regions
    height, width = (min(pair.before.shape[at], pair.after.shape[at]) for at in (0, 1))
    boxes = list(find_changed_boxes(marked[:height, :width], SHARED_BOXES))
    right = find_changed_boxes(marked[:, width:], STRIP_BOXES)
    boxes += [Box(box.x + width, box.y, box.width, box.height) for box in right]
    below = find_changed_boxes(marked[height:, :width], STRIP_BOXES)
    boxes += [Box(box.x, box.y + height, box.width, box.height) for box in below]
    return tuple(sorted(boxes, key=lambda box: (box.y, box.x)))


def render_mask(before: Bytes, after: Bytes, mask: Mask, regions: Flags | None) -> bytes:
    """Return a PNG of the mask's size; ``regions`` flags the ignored pixels."""
    # Each row of a PNG begins with the number of its filter, 0 for none.
    rows_of_file = np.zeros((mask.shape[0], mask.shape[1] + 1), np.uint8)
    canvas = rows_of_file[:, 1:]
    # The taller image is on top, so inserted rows are visible in place.
    base, other = (after, before) if len(after) > len(before) else (before, after)
    # Stripes keep temporary arrays small; whole periods keep the hatching continuous.
    step = HATCH_PERIOD * max(1, STRIPE // mask.shape[1] // HATCH_PERIOD)
    for top in range(0, len(mask), step):
        rows = slice(top, top + step)
        stripe = canvas[rows]
        stripe[:] = BLANK
        for layer in (other[rows], base[rows]):
            stripe[: len(layer), : layer.shape[1]] = _fade(layer)
        _paint(stripe, mask[rows], None if regions is None else regions[rows])
    return write_diff_png(mask.shape[1], mask.shape[0], rows_of_file.data.cast("B"))


def _fade(pixels: Bytes) -> Indices:
    part = pixels.astype(np.uint32)
    luma = (part[:, :, 0] * LUMA[0] + part[:, :, 1] * LUMA[1] + part[:, :, 2] * LUMA[2]) >> 8
    over_white = (luma * part[:, :, 3] + 255 * (255 - part[:, :, 3])) // 255
    return (over_white * SHADES // 256).astype(np.uint8)


def _paint(stripe: Indices, mask: Mask, regions: Flags | None) -> None:
    changed, smooth = mask == DIFFERENT, mask == ANTI_ALIASED
    stripe[changed] = CHANGED
    # There are none in regions.
    stripe[mask == FAINT] = FAINTLY_CHANGED
    if regions is None:
        stripe[smooth] = SMOOTHED
        return
    stripe[smooth & ~regions] = SMOOTHED
    stripe[regions & _flag_hatching(mask.shape)] = HATCHED
    # Changes in a region are shown, too: people check their regions with the image.
    stripe[regions & changed] = HATCHED_CHANGE


def _flag_hatching(shape: tuple[int, ...]) -> Flags:
    across = np.arange(shape[1], dtype=np.uint32)
    down = np.arange(shape[0], dtype=np.uint32)[:, None]
    return (across + down) % HATCH_PERIOD < HATCH_WIDTH


def trace_outline(image: Bytes, top: int, bottom: int) -> Outline | None:
    """Return elements and edges in rows of an RGBA image, or None of too many."""
    red, green, blue = (image[top:bottom, :, channel].astype(np.int64) for channel in range(3))
    luma, hue = (77 * red + 150 * green + 29 * blue) >> 8, MIDDLE + ((red - blue) >> 1)
    across, down = np.zeros(luma.shape, bool), np.zeros(luma.shape, bool)
    across[:, 1:] = np.abs(np.diff(luma, axis=1)) > STEP
    down[1:] = np.abs(np.diff(luma, axis=0)) > STEP
    edges = [Box(x, top + start, 0, length) for x, start, length in _take_long(across.T)]
    edges += [Box(start, top + y, length, 0) for y, start, length in _take_long(down)]
    strokes = (across | down).astype(np.uint8)
    boxes = connect_pixels(strokes.tobytes(), strokes.shape[1])
    if boxes is None or max(len(boxes), len(edges)) > MOST_SHAPES:
        return None
    return Outline(tuple(_measure(luma, hue, box, top) for box in boxes), tuple(edges))


def _take_long(flags: Flags) -> list[tuple[int, int, int]]:
    """Remove long runs from rows of flags, and return row, start and length of each."""
    padded = np.zeros((flags.shape[0], flags.shape[1] + 2), np.int8)
    padded[:, 1:-1] = flags
    steps = np.diff(padded, axis=1)
    starts, ends = np.argwhere(steps == 1), np.argwhere(steps == -1)
    found = []
    for (row, start), end in zip(starts.tolist(), ends[:, 1].tolist(), strict=True):
        if end - start >= LONG:
            flags[row, start:end] = False
            found.append((row, start, end - start))
    return found


def _measure(luma: Values, hue: Values, box: Box, top: int) -> Element:
    area = slice(box.y, box.y + box.height), slice(box.x, box.x + box.width)
    paper = _most_common(luma[area])
    distances = np.abs(luma[area] - paper)
    tint = hue[area] - _most_common(hue[area])
    place = replace(box, y=top + box.y)
    columns, rows = np.arange(box.width), np.arange(box.height)[:, None]
    weights = (1, columns, rows, columns * columns, rows * rows)
    ink, x, y, xx, yy = (int((distances * weight).sum()) for weight in weights)
    return Element(place, paper, int(distances.max()), ink, x, y, xx, yy, int(tint.sum()))


def _most_common(values: Values) -> int:
    return int(np.bincount(values.ravel(), minlength=256).argmax())


def draw_sketch(pixels: bytes, width: int, height: int) -> Sketch:
    """Describe RGBA pixels, row by row."""
    packed = memoryview(pixels).cast("I")
    counted = Counter(packed)
    most = max(counted.values())
    # Bytes have the same order on every machine.
    common = min(color.to_bytes(4, sys.byteorder) for color, n in counted.items() if n == most)
    background = (common[0], common[1], common[2])
    stride, line = 4 * width, common * width
    rows = [y for y in range(height) if pixels[y * stride : (y + 1) * stride] != line]
    if not rows:
        return Sketch(background, 0, 0, 0, 0, b"", b"", (), (0, 0, 0))
    top, bottom = rows[0], rows[-1] + 1
    line = common * (bottom - top)
    columns = [
        x
        for x in range(width)
        if packed[top * width + x : bottom * width : width].tobytes() != line
    ]
    area = (columns[0], top, columns[-1] + 1, bottom)
    return _measure_sketch((pixels[0::4], pixels[1::4], pixels[2::4]), width, area, background)


def _measure_sketch(planes: Planes, width: int, area: Area, background: Color) -> Sketch:
    left, top, right, bottom = area
    lumas, hues = bytearray(), bytearray()
    for y in range(top, bottom, CELL):
        rows = range(y * width, min(y + CELL, bottom) * width, width)
        for x in range(left, right, CELL):
            spans = [slice(row + x, row + min(x + CELL, right)) for row in rows]
            outside = CELL * CELL - len(spans) * (spans[0].stop - spans[0].start)
            color = [
                (sum(sum(plane[span]) for span in spans) + outside * base) // (CELL * CELL)
                for plane, base in zip(planes, background, strict=True)
            ]
            lumas.append(weigh(*color))
            hues.append(find_hue(color[0], color[2]))
    ink = tuple(
        _weigh_row(planes, background, y * width, (y + 1) * width) for y in range(top, bottom)
    )
    tint = [sum(plane) - len(plane) * base for plane, base in zip(planes, background, strict=True)]
    return Sketch(
        *(background, left, top, right - left, bottom - top, bytes(lumas), bytes(hues), ink),
        (tint[0], tint[1], tint[2]),
    )


def _weigh_row(planes: Planes, background: Color, start: int, end: int) -> int:
    """Return how much darker a row is than its background, positive or negative."""
    distances = [
        (end - start) * base - sum(plane[start:end])
        for plane, base in zip(planes, background, strict=True)
    ]
    weight: int = (distances[0] + 2 * distances[1] + distances[2]) // 4
    return max(-MOST_INK, min(MOST_INK, weight))
