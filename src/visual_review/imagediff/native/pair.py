"""Two images that the library compared, for whatever is shown or measured of them later."""

import ctypes
import importlib
from collections.abc import Callable
from dataclasses import dataclass, field

from visual_review.imagediff.area import unite
from visual_review.imagediff.container import RGB, RGBA
from visual_review.imagediff.diff_png import write_diff_png
from visual_review.imagediff.features import AreaFeatures, ChangeFeatures, SideFeatures
from visual_review.imagediff.model import Box, ImageInfo
from visual_review.imagediff.native import library as abi
from visual_review.imagediff.native.inflating import InflatedImage, as_pixels, pointer_to
from visual_review.imagediff.outline import MOST_PIECES, MOST_SHAPES, Element, Outline
from visual_review.imagediff.port import Alignment, Buffer, Side

SAMPLE_BITS = 8


@dataclass(slots=True)
class NativePair:
    """Both images and the mask; ``call`` calls a function of the library."""

    call: Callable[..., None]
    before: InflatedImage
    after: InflatedImage
    mask: bytearray
    regions: ctypes.Array[abi.Rectangle]
    threshold: float
    settled: bool = field(default=False, init=False)

    def draw(self) -> bytes:
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
            *("vr_measure", self.before.image, self.after.image, pointer_to(mask)),
            *(area, *offset, found),
        )
        before, after = (SideFeatures(*_values(side)) for side in (found.before, found.after))
        return AreaFeatures(before, after, ChangeFeatures(*_values(found.change)))

    def find_pieces(self) -> tuple[Box, ...] | None:
        width, height = unite(self.before.size, self.after.size)
        boxes, count = (abi.Box * MOST_PIECES)(), ctypes.c_uint32()
        self.call(
            *("vr_find_pieces", pointer_to(self.mask), width, height),
            *(self.regions, len(self.regions), boxes, MOST_PIECES, count),
        )
        if count.value > MOST_PIECES:
            return None
        return tuple(_to_box(each) for each in boxes[: count.value])

    def outline(self, side: Side) -> Outline | None:
        self.settle()
        found = self.before if side == "before" else self.after
        elements, edges = (abi.Element * MOST_SHAPES)(), (abi.Box * MOST_SHAPES)()
        counts = (ctypes.c_uint32 * 2)()
        self.call("vr_outline", found.image, elements, edges, MOST_SHAPES, counts)
        if max(counts) > MOST_SHAPES:
            return None
        return Outline(
            tuple(
                Element(_to_box(each), each.paper, each.contrast, each.ink, each.hue)
                for each in elements[: counts[0]]
            ),
            tuple(_to_box(each) for each in edges[: counts[1]]),
        )

    def align(self) -> Alignment:
        # Until the library can do it.
        found: Alignment = importlib.import_module(
            "visual_review.imagediff.reference.alignment"
        ).align_decoded(
            *(
                (image.size, self.crop(side, Box(0, 0, *image.size)))
                for side, image in (("before", self.before), ("after", self.after))
            ),
            self.mask,
            [(each.left, each.top, each.right, each.bottom) for each in self.regions],
            self.threshold,
        )
        return found

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


def _values(found: ctypes.Structure) -> list[int]:
    return [getattr(found, name) for name, _ in found._fields_]


def _to_box(found: abi.Box | abi.Element) -> Box:
    return Box(found.x, found.y, found.width, found.height)
