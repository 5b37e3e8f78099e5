"""Compares images: bytes in, verdict out; no Django, disk or network.

``compare`` judges two PNG files with counts equal to pixelmatch 7.2, ``diff_picture`` draws the
result, ``decode``, ``probe`` and ``pixels_sha256`` read one file within limits.
"""

from visual_review.imagediff.comparison import Comparison, compare, compare_and_draw, diff_image
from visual_review.imagediff.decoder import decode, pixels_sha256, probe
from visual_review.imagediff.errors import (
    BrokenImageError,
    ImageError,
    ImageTooLargeError,
    NotPngError,
)
from visual_review.imagediff.model import (
    DEFAULT_LIMITS,
    DEFAULT_OPTIONS,
    ENGINE_VERSION,
    Box,
    ImageInfo,
    Kind,
    Limits,
    Options,
    Region,
    RowShift,
    Verdict,
    VerifiedImage,
)

__all__ = [
    "DEFAULT_LIMITS",
    "DEFAULT_OPTIONS",
    "ENGINE_VERSION",
    "Box",
    "BrokenImageError",
    "Comparison",
    "ImageError",
    "ImageInfo",
    "ImageTooLargeError",
    "Kind",
    "Limits",
    "NotPngError",
    "Options",
    "Region",
    "RowShift",
    "Verdict",
    "VerifiedImage",
    "compare",
    "compare_and_draw",
    "decode",
    "diff_image",
    "pixels_sha256",
    "probe",
]
