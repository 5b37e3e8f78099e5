"""The engine in numpy: decode both images, compute a mask, count its codes."""

from collections.abc import Iterator

import numpy as np

from visual_review.imagediff.errors import naming_side
from visual_review.imagediff.model import Limits, Options, VerifiedImage
from visual_review.imagediff.port import Counts, DecodedImage, Marks
from visual_review.imagediff.rectangles import check_area
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.decoder import decode, hash_pixels, read_bands
from visual_review.imagediff.reference.masks import (
    ANTI_ALIASED,
    DIFFERENT,
    SLIGHT,
    Flags,
    Mask,
    compute_mask,
    flag_regions,
)
from visual_review.imagediff.reference.pair import NumpyPair


class NumpyEngine:
    """Compares with numpy, without anything built for one machine."""

    name = "numpy"

    def decode(self, data: bytes, limits: Limits) -> DecodedImage:
        pixels = decode(data, limits)
        return DecodedImage(pixels.shape[1], pixels.shape[0], pixels.data.cast("B"))

    def read_bands(self, data: bytes, limits: Limits) -> Iterator[DecodedImage]:
        for band in read_bands(data, limits):
            pixels = np.ascontiguousarray(band)
            yield DecodedImage(pixels.shape[1], pixels.shape[0], pixels.data.cast("B"))

    def hash_pixels(self, data: bytes, limits: Limits) -> VerifiedImage:
        return hash_pixels(data, limits)

    def mark(self, before: bytes, after: bytes, options: Options, limits: Limits) -> Marks:
        with naming_side("before"):
            old = decode(before, limits)
        with naming_side("after"):
            new = decode(after, limits)
        check_area((old.shape[1], old.shape[0]), (new.shape[1], new.shape[0]), limits)
        mask = compute_mask(old, new, options)
        regions = flag_regions((mask.shape[0], mask.shape[1]), options.regions)
        return Marks(
            width=mask.shape[1],
            height=mask.shape[0],
            mask=mask.data.cast("B"),
            counts=_count(mask, regions),
            boxes=find_changed_boxes(_outside(mask == DIFFERENT, regions)),
            before=(old.shape[1], old.shape[0]),
            after=(new.shape[1], new.shape[0]),
            pair=NumpyPair(old, new, mask, regions, options.threshold),
        )


def _count(mask: Mask, regions: Flags | None) -> Counts:
    everywhere = [int(np.count_nonzero(mask == mark)) for mark in (DIFFERENT, ANTI_ALIASED)]
    outside = [
        int(np.count_nonzero(_outside(mask == mark, regions))) for mark in (DIFFERENT, ANTI_ALIASED)
    ]
    return Counts(
        different=outside[0],
        ignored=everywhere[0] - outside[0],
        anti_aliased=outside[1],
        ignored_anti_aliased=everywhere[1] - outside[1],
        slight=int(np.count_nonzero(mask == SLIGHT)),
        compared=mask.size - (0 if regions is None else int(np.count_nonzero(regions))),
    )


def _outside(flags: Flags, regions: Flags | None) -> Flags:
    if regions is not None:
        flags[regions] = False
    return flags
