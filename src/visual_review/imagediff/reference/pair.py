"""Two images that were compared by numpy, for whatever is shown or measured of them later."""

from dataclasses import dataclass, field

import numpy as np

from visual_review.imagediff.faint import FaintAreas
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.outline import Outline
from visual_review.imagediff.port import Alignment, Buffer, Side
from visual_review.imagediff.reference.accounting import Compared
from visual_review.imagediff.reference.alignment import align
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.difference_image import render_mask
from visual_review.imagediff.reference.faint import find_faint
from visual_review.imagediff.reference.features import measure_area
from visual_review.imagediff.reference.masks import Flags, Mask
from visual_review.imagediff.reference.outlines import trace_outline
from visual_review.imagediff.reference.pieces import find_pieces


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

    def measure(self, mask: Buffer, box: Box, offset: tuple[int, int] = (0, 0)) -> AreaFeatures:
        marks: Mask = np.frombuffer(mask, np.uint8).reshape(self.mask.shape)
        return measure_area((self.before, self.after), marks, box, offset)

    def find_pieces(self) -> tuple[Box, ...] | None:
        different = self.mask == 1 if self.regions is None else (self.mask == 1) & ~self.regions
        return find_pieces(different.astype(np.uint8).tobytes(), self.mask.shape[1])

    def outline(self, side: Side, top: int, bottom: int) -> Outline | None:
        return trace_outline(self.before if side == "before" else self.after, top, bottom)

    def find_faint(self) -> FaintAreas:
        if self.faint is None:
            self.faint = find_faint(self.before, self.after, self.mask, self.regions)
        return self.faint

    def align(self) -> Alignment:
        return align(Compared(self.before, self.after, self.mask, self.regions, self.threshold))
