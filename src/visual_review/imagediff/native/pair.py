"""Two images compared by the library, for later drawings and measurements."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from visual_review.imagediff.container import RGB, RGBA
from visual_review.imagediff.diff_png import write_diff_png
from visual_review.imagediff.features import AreaFeatures, ChangeFeatures, SideFeatures
from visual_review.imagediff.model import Box, ImageInfo
from visual_review.imagediff.native import library as abi
from visual_review.imagediff.native.inflating import InflatedImage, as_pixels, pointer_to
from visual_review.imagediff.port import (
    MOST_PIECES,
    MOST_SHAPES,
    NO_FAINT_AREAS,
    Alignment,
    Buffer,
    Element,
    FaintAreas,
    Move,
    Outline,
    Piece,
    Side,
    describe_areas,
)
from visual_review.imagediff.rectangles import unite
from visual_review.imagediff.sketch import Sketch, count_cells

SAMPLE_BITS = 8


@dataclass(slots=True)
class NativePair:
    """Both images and the mask; ``call`` calls a function of the library.

    ``subtle`` pixels differ, and are not counted as different.
    """

    call: Callable[..., None]
    before: InflatedImage
    after: InflatedImage
    mask: bytearray
    regions: ctypes.Array[abi.Rectangle]
    threshold: float
    subtle: int
    settled: bool = field(default=False, init=False)
    faint: FaintAreas | None = field(default=None, init=False)

    def draw(self) -> bytes:
        self.find_faint()
        width, height = unite(self.before.size, self.after.size)
        canvas = bytearray((width + 1) * height)
        # An image of the same size is covered by the other one.
        covered = self.before.size == self.after.size
        self.call(
            *("vr_draw", self.before.image, None if covered else self.after.image),
            *(self.regions, len(self.regions), pointer_to(self.mask), pointer_to(canvas)),
        )
        return write_diff_png(width, height, canvas)

    def crop(self, side: Side, box: Box) -> bytes:
        self.settle()
        pixels = bytearray(4 * box.width * box.height)
        found = self.before if side == "before" else self.after
        area = abi.Box(box.x, box.y, box.width, box.height)
        self.call("vr_crop", found.image, area, pointer_to(pixels))
        return bytes(pixels)

    def measure(self, mask: Buffer, box: Box, offset: tuple[int, int] = (0, 0)) -> AreaFeatures:
        self.settle()
        area, found = abi.Box(box.x, box.y, box.width, box.height), abi.AreaFeatures()
        self.call(
            *("vr_measure", self.before.image, self.after.image, pointer_to(memoryview(mask))),
            *(area, *offset, found),
        )
        before, after = (SideFeatures(*_values(side)) for side in (found.before, found.after))
        return AreaFeatures(before, after, ChangeFeatures(*_values(found.change)))

    def find_pieces(self, alignment: Alignment) -> tuple[Piece, ...] | None:
        self.find_faint()
        self.settle()
        moves = (abi.Move * len(alignment.moves))(
            *(
                abi.Move(abi.Box(box.x, box.y, box.width, box.height), move.dx, move.dy)
                for move in alignment.moves
                for box in (move.target,)
            )
        )
        pieces, count = (abi.Piece * MOST_PIECES)(), ctypes.c_uint32()
        self.call(
            *("vr_find_pieces", self.before.image, self.after.image),
            *(self.regions, len(self.regions), pointer_to(self.mask)),
            *(pointer_to(memoryview(alignment.mask)), moves, len(moves)),
            *(pieces, MOST_PIECES, count),
        )
        if count.value > MOST_PIECES:
            return None
        return tuple(_piece(each) for each in pieces[: count.value])

    def outline(self, side: Side, top: int, bottom: int) -> Outline | None:
        self.settle()
        found = self.before if side == "before" else self.after
        elements, edges = (abi.Element * MOST_SHAPES)(), (abi.Box * MOST_SHAPES)()
        counts = (ctypes.c_uint32 * 2)()
        self.call("vr_outline", found.image, top, bottom, elements, edges, MOST_SHAPES, counts)
        if max(counts) > MOST_SHAPES:
            return None
        return Outline(
            tuple(
                Element(
                    *(_box(each), each.paper, each.contrast, each.ink),
                    *(each.x_ink, each.y_ink, each.xx_ink, each.yy_ink, each.hue),
                )
                for each in elements[: counts[0]]
            ),
            tuple(_box(each) for each in edges[: counts[1]]),
        )

    def sketch(self, side: Side, box: Box) -> Sketch | None:
        self.settle()
        image = self.before if side == "before" else self.after
        area, found = abi.Box(box.x, box.y, box.width, box.height), abi.Sketch()
        cells = count_cells(box.width) * count_cells(box.height)
        lumas, hues, ink = bytearray(cells), bytearray(cells), (ctypes.c_int16 * box.height)()
        self.call("vr_sketch", image.image, area, found, pointer_to(lumas), pointer_to(hues), ink)
        return _sketch(found, bytes(lumas), bytes(hues), ink[:]) if found.is_opaque else None

    def find_faint(self) -> FaintAreas:
        if self.faint is None:
            self.faint = self._find_faint() if self.subtle else NO_FAINT_AREAS
        return self.faint

    def _find_faint(self) -> FaintAreas:
        self.settle()
        found = abi.FaintAreas()
        self.call(
            *("vr_find_faint", self.before.image, self.after.image),
            *(self.regions, len(self.regions), pointer_to(self.mask), found),
        )
        boxes = tuple(_box(each) for each in found.boxes[: found.box_count])
        strokes = tuple(_box(each) for each in found.strokes[: found.stroke_count])
        size = unite(self.before.size, self.after.size)
        return describe_areas(found.pixels, boxes, size, strokes)

    def align(self) -> Alignment:
        self.settle()
        aligned, found = bytearray(len(self.mask)), abi.AlignmentResult()
        self.call(
            *("vr_align", self.before.image, self.after.image, self.threshold),
            *(self.regions, len(self.regions), pointer_to(self.mask), pointer_to(aligned), found),
        )
        return Alignment(
            moves=tuple(_move(found.moves[index]) for index in range(found.move_count)),
            mask=aligned,
            pixels=found.pixels,
            boxes=tuple(_box(found.boxes[index]) for index in range(found.box_count)),
        )

    def settle(self) -> None:
        """Unfilter both in whole, with 8-bit samples: before their pixels are read."""
        if self.settled:
            return
        self.call("vr_settle", self.before.image, self.after.image, pointer_to(self.mask))
        self.before, self.after = self._as_plain(self.before), self._as_plain(self.after)
        self.settled = True

    def _as_plain(self, found: InflatedImage) -> InflatedImage:
        if _is_plain(found.info) and not found.image.transparency_length:
            return found
        width, height = found.size
        rows = bytearray((1 + 4 * width) * height)
        self.call("vr_read_whole", found.image, pointer_to(rows))
        return as_pixels(found.info, rows)


def _is_plain(info: ImageInfo) -> bool:
    return info.color_type in (RGB, RGBA) and info.bit_depth == SAMPLE_BITS


def _move(found: abi.Move) -> Move:
    return Move(_box(found.target), found.dx, found.dy)


def _sketch(found: abi.Sketch, lumas: bytes, hues: bytes, ink: Sequence[int]) -> Sketch:
    red, green, blue, _ = found.background.to_bytes(4, "little")
    cells = count_cells(found.width) * count_cells(found.height)
    return Sketch(
        *((red, green, blue), found.x, found.y, found.width, found.height),
        *(lumas[:cells], hues[:cells], tuple(ink[: found.height])),
        (found.tint[0], found.tint[1], found.tint[2]),
    )


def _piece(found: abi.Piece) -> Piece:
    recolored = (found.before, found.after) if found.is_recolored else None
    digest = "".join(f"{part:016x}" for part in found.digest)
    return Piece(_box(found.area), found.pixels, digest, recolored)


def _box(found: abi.Box | abi.Element) -> Box:
    return Box(found.x, found.y, found.width, found.height)


def _values(found: ctypes.Structure) -> list[int]:
    return [getattr(found, name) for name, *_ in found._fields_]
