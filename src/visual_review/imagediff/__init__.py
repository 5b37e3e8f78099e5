"""Compare images: bytes in, verdict out; no Django, disk or network.

``compare`` compares two PNG files with counts equal to pixelmatch 7.2, ``render_diff`` shows the
result as an image, ``decode``, ``probe`` and ``hash_pixels`` read one file within limits.
"""

from visual_review.imagediff.comparison import Comparison, compare, compare_and_render, render_diff
from visual_review.imagediff.engine_key import engine_key
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
from visual_review.imagediff.reference.decoder import decode, hash_pixels, probe

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
    "compare_and_render",
    "decode",
    "engine_key",
    "hash_pixels",
    "probe",
    "render_diff",
]
