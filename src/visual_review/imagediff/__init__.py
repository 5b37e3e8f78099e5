"""Compare images: bytes in, verdict out; no Django, disk or network.

``compare`` compares two PNG files with counts equal to pixelmatch 7.2, ``render_diff`` shows the
result as an image, ``probe`` and ``hash_pixels`` read one file within limits. ``pixels.decode``
returns an array.
"""

from visual_review.imagediff.comparison import (
    Comparison,
    compare,
    compare_and_render,
    compare_with_marks,
    hash_pixels,
    render_diff,
)
from visual_review.imagediff.container import probe
from visual_review.imagediff.engine import EngineError, engine, engine_key
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
    Limits,
    Options,
    Reason,
    Region,
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
    "EngineError",
    "ImageError",
    "ImageInfo",
    "ImageTooLargeError",
    "Limits",
    "NotPngError",
    "Options",
    "Reason",
    "Region",
    "Verdict",
    "VerifiedImage",
    "compare",
    "compare_and_render",
    "compare_with_marks",
    "engine",
    "engine_key",
    "hash_pixels",
    "probe",
    "render_diff",
]
