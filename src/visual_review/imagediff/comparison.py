"""Compare two PNG files: the mask of differences, the verdict and the diff image."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from visual_review.imagediff.errors import ImageError, ImageTooLargeError
from visual_review.imagediff.model import (
    DEFAULT_LIMITS,
    DEFAULT_OPTIONS,
    Kind,
    Limits,
    Options,
    RowShift,
    Verdict,
)
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.decoder import decode, probe
from visual_review.imagediff.reference.difference_image import render_mask
from visual_review.imagediff.reference.masks import (
    ANTI_ALIASED,
    DIFFERENT,
    SAME,
    Flags,
    Mask,
    compute_mask,
    flag_regions,
)
from visual_review.imagediff.reference.rows import find_row_shift

# The compared area may be this many times as large as the largest image.
AREA_FACTOR: Final = 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict with its diff image as a PNG."""

    verdict: Verdict
    diff_image: bytes


@dataclass(frozen=True, slots=True)
class _MaskedPair:
    """A mask of the compared area, flags of its regions, and how rows were aligned."""

    mask: Mask
    regions: Flags | None
    row_shift: RowShift | None
    same_size: bool


def compare(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Verdict:
    """Compare two PNG files. Equal bytes are equal without being decoded.

    Raises ImageError for either file; of files with equal bytes only the header is checked.
    """
    if before == after:
        info = probe(before, limits)
        return Verdict(
            equal=True,
            diff_pixels=0,
            diff_ratio=0.0,
            width=info.width,
            height=info.height,
            kind="identical",
        )
    return _compute_verdict(_mask_pair(*_decode_both(before, after, limits), options))


def compare_and_render(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Comparison:
    """Do the work of ``compare`` and ``render_diff`` while decoding once. Raises ImageError."""
    old, new = _decode_both(before, after, limits)
    masked = _mask_pair(old, new, options)
    image = render_mask(old, new, masked.mask, masked.regions)
    return Comparison(_compute_verdict(masked), image)


def render_diff(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> bytes:
    """Return a PNG of the size of the union that shows where two PNG files differ.

    The earlier image is faded to gray (the taller one where rows were inserted), changes are
    red, anti-aliased pixels yellow, ignored regions hatched in blue. Raises ImageError.
    """
    return compare_and_render(before, after, options, limits).diff_image


def _decode_both(before: bytes, after: bytes, limits: Limits) -> tuple[Bytes, Bytes]:
    side: Literal["before", "after"] = "before"
    try:
        old = decode(before, limits)
        side = "after"
        new = decode(after, limits)
    except ImageError as error:
        error.side = side
        raise
    _check_area(old, new, limits)
    return old, new


def _check_area(before: Bytes, after: Bytes, limits: Limits) -> None:
    # A wide image and a tall one cover an area far larger than both.
    height, width = (max(before.shape[axis], after.shape[axis]) for axis in (0, 1))
    if height * width > AREA_FACTOR * limits.pixels:
        raise ImageTooLargeError(
            f"the images are {before.shape[1]} x {before.shape[0]} and {after.shape[1]} x "
            f"{after.shape[0]}, which together cover {height * width:,} pixels; at most "
            f"{AREA_FACTOR * limits.pixels:,} are compared"
        )


def _mask_pair(before: Bytes, after: Bytes, options: Options) -> _MaskedPair:
    # Inserted rows shift all rows below them, and comparing in place would count all of those as
    # different.
    shift = find_row_shift(before, after)
    if shift is None:
        mask = compute_mask(before, after, options)
    else:
        mask = np.zeros((max(len(before), len(after)), before.shape[1]), np.uint8)
        mask[shift.at : shift.at + shift.count] = DIFFERENT
    regions = flag_regions((mask.shape[0], mask.shape[1]), options.regions)
    return _MaskedPair(mask, regions, shift, before.shape == after.shape)


def _compute_verdict(masked: _MaskedPair) -> Verdict:
    mask, regions = masked.mask, masked.regions
    anti_aliased = _count_outside(mask == ANTI_ALIASED, regions)
    changed = mask == DIFFERENT
    everywhere = int(np.count_nonzero(changed))
    area = mask.size
    if regions is not None:
        changed[regions] = False
        area -= int(np.count_nonzero(regions))
    count = int(np.count_nonzero(changed))
    return Verdict(
        equal=count == 0,
        diff_pixels=count,
        diff_ratio=count / area if area else 0.0,
        width=mask.shape[1],
        height=mask.shape[0],
        kind=_determine_kind(masked, count, everywhere),
        boxes=find_changed_boxes(changed),
        anti_aliased_pixels=anti_aliased,
        region_diff_pixels=everywhere - count,
        row_shift=masked.row_shift,
    )


def _count_outside(flags: Flags, regions: Flags | None) -> int:
    if regions is not None:
        flags[regions] = False
    return int(np.count_nonzero(flags))


def _determine_kind(masked: _MaskedPair, count: int, everywhere: int) -> Kind:
    if count:
        return "pixels" if masked.same_size else "size"
    if everywhere:
        return "regions"
    if (masked.mask == ANTI_ALIASED).any():
        return "anti_aliased"
    return "below_threshold" if (masked.mask != SAME).any() else "identical"
