"""The memory for reading and comparing images, and keeping memory between comparisons.

The upper bounds are computed from the headers. They were measured for every color type and depth; a
test repeats the measurement.

A comparison allocates some large buffers and frees them at its end. The C library returns freed
buffers to the system each time, and the system clears new ones page by page: clearing takes longer
than inflating the images.
"""

import ctypes
import sys
from typing import Final

from visual_review.imagediff.container import count_inflated_bytes
from visual_review.imagediff.model import ImageInfo

# Parameters of mallopt(3) in glibc.
M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
M_ARENA_MAX: Final = -8
PIXEL_BYTES: Final = 4
# Of a band: scanlines, their filtered copy, and pixels with the memory for their conversion.
BAND_PIXEL_BYTES: Final = 16
LARGEST_BAND: Final = 24 * 1024 * 1024
# Per pixel of the compared area: mask, flags, and the diff image.
COMPARED_PIXEL_BYTES: Final = 5
# Where pixels differ: their positions, colors and neighbors, some rows at a time.
DIFFERING_PIXEL_BYTES: Final = 160
LARGEST_DIFFERENCE: Final = 40 * 1024 * 1024
SMALLEST_DIFFERENCE: Final = 8 * 1024 * 1024
# Of the native engine: inflated data of up to 16 bits a sample; the mask, the drawing of the mask,
# and the diff image.
INFLATED_PIXEL_BYTES: Final = 8
MARKED_PIXEL_BYTES: Final = 3
# For the search for moved content: fingerprints of both images, and for each pixel its move and the
# pixel at its source; numpy also has flags of differences. Then anchors, and some rows at a time.
ALIGNED_PIXEL_BYTES: Final = 4
ALIGNED_FLAG_BYTES: Final = 4
ALIGNED: Final = 8 * 1024 * 1024
ALIGNED_ROW_BYTES: Final = 120
LARGEST_ALIGNED_ROWS: Final = 40 * 1024 * 1024
FIXED: Final = 1024 * 1024
LARGEST_INFLATED: Final = 34 * 1024 * 1024
Size = tuple[int, int]


def hashing_memory(info: ImageInfo) -> int:
    """Return the maximum memory, in bytes, for ``hash_pixels``, besides the file."""
    # Passes of an interlaced image are spread over the whole image, so all of it is in memory.
    whole = decoded_bytes((info.width, info.height)) if info.interlaced else 0
    # The native engine holds all of the inflated data up to a limit.
    inflated = min(count_inflated_bytes(info), LARGEST_INFLATED)
    return whole + max(inflated, _band_bytes((info.width, info.height)))


def comparison_memory(before: Size, after: Size) -> int:
    """Return the maximum memory, in bytes, for comparing images of the given widths and heights.

    The maximum is for either engine: the native one leaves some files to the other.
    """
    return max(_numpy_comparison(before, after), _native_comparison(before, after))


def _numpy_comparison(before: Size, after: Size) -> int:
    area = _area_of_both(before, after)
    images = decoded_bytes(before) + decoded_bytes(after)
    differing = SMALLEST_DIFFERENCE + min(DIFFERING_PIXEL_BYTES * area, LARGEST_DIFFERENCE)
    rows = min(ALIGNED_ROW_BYTES * area, LARGEST_ALIGNED_ROWS)
    aligned = ALIGNED + rows + (ALIGNED_PIXEL_BYTES + ALIGNED_FLAG_BYTES) * area
    # Bands are gone when the comparison begins, and its memory is free before the search for moves.
    working = max(_band_bytes(before), _band_bytes(after), differing, aligned)
    return images + working + COMPARED_PIXEL_BYTES * area


def _native_comparison(before: Size, after: Size) -> int:
    sizes = [width * height for width, height in (before, after)]
    # One image after the other is converted to 8 bits before its pixels are compared.
    images = INFLATED_PIXEL_BYTES * sum(sizes) + (PIXEL_BYTES + 1) * max(sizes)
    marks = (MARKED_PIXEL_BYTES + ALIGNED_PIXEL_BYTES) * _area_of_both(before, after)
    return FIXED + ALIGNED + images + marks


def _area_of_both(before: Size, after: Size) -> int:
    return max(before[0], after[0]) * max(before[1], after[1])


def content_memory(first: Size, second: Size) -> int:
    """Return the maximum memory, in bytes, for ``has_same_content``."""
    bands = max(_band_bytes(first), _band_bytes(second))
    # Pillow holds the image, an empty one, their difference and the crop at a time.
    return 4 * (decoded_bytes(first) + decoded_bytes(second)) + bands


def rendering_memory(size: Size) -> int:
    """Return the maximum memory, in bytes, for reading a part of an image of any form."""
    return decoded_bytes(size) + _band_bytes(size)


def decoded_bytes(size: Size) -> int:
    return PIXEL_BYTES * size[0] * size[1]


def _band_bytes(size: Size) -> int:
    return FIXED + min(BAND_PIXEL_BYTES * size[0] * size[1], LARGEST_BAND)


def keep_freed_memory(most: int) -> bool:
    """Let the process keep up to ``most`` freed bytes; return whether the system can.

    Call before starting threads, so all threads share the kept bytes.
    """
    # Other C libraries have no such function, or decide by themselves.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    settings = ((M_ARENA_MAX, 1), (M_MMAP_THRESHOLD, most), (M_TRIM_THRESHOLD, most))
    results = [mallopt(name, value) for name, value in settings]
    return results == [1] * len(settings)
