"""The library of machine code, and its C interface."""

import ctypes
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Final

from visual_review.imagediff import features

# As in native/src/lib.rs: a library of other sources must never be used by mistake.
ABI_VERSION: Final = 4
MOST_BOXES: Final = 50
MOST_MOVES: Final = 63
NAMES: Final = {"win32": "visual_review_kernel.dll", "darwin": "libvisual_review_kernel.dylib"}
OTHER_NAME: Final = "libvisual_review_kernel.so"


# The status of native/src/lib.rs for a defect of the library itself.
PANICKED: Final = 3


class LibraryError(Exception):
    """The library cannot be used on the machine; the message gives the reason."""


class LibraryPanicError(Exception):
    """A function of the library panicked: a defect of the library, not of the files."""


class Image(ctypes.Structure):
    """An inflated image; see native/src/lib.rs."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("palette", ctypes.c_char_p),
        ("palette_length", ctypes.c_size_t),
        ("transparency", ctypes.c_char_p),
        ("transparency_length", ctypes.c_size_t),
        ("width", ctypes.c_uint32),
        ("height", ctypes.c_uint32),
        ("unfiltered", ctypes.c_uint32),
        ("depth", ctypes.c_uint8),
        ("color", ctypes.c_uint8),
    )


class Rectangle(ctypes.Structure):
    """A rectangle of pixels whose differences are ignored."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("left", "top", "right", "bottom"))


class Box(ctypes.Structure):
    """A box around different pixels."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("x", "y", "width", "height"))


class PairResult(ctypes.Structure):
    """The result for a pair of images."""

    _fields_ = (
        ("different", ctypes.c_uint64),
        ("ignored", ctypes.c_uint64),
        ("anti_aliased", ctypes.c_uint64),
        ("ignored_anti_aliased", ctypes.c_uint64),
        ("slight", ctypes.c_uint64),
        ("compared", ctypes.c_uint64),
        ("box_count", ctypes.c_uint32),
        ("boxes", Box * MOST_BOXES),
    )


class Element(ctypes.Structure):
    """Connected strokes; see native/src/outline.rs."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("x", "y", "width", "height", "paper", "contrast")),
        *((name, ctypes.c_uint64) for name in ("ink", "x_ink", "y_ink", "xx_ink", "yy_ink")),
        ("hue", ctypes.c_int64),
    )


class Move(ctypes.Structure):
    """Moved content."""

    _fields_ = (("target", Box), ("dx", ctypes.c_int32), ("dy", ctypes.c_int32))


class AlignmentResult(ctypes.Structure):
    """The alignment of two images; see native/src/alignment/interface.rs."""

    _fields_ = (
        ("pixels", ctypes.c_uint64),
        ("move_count", ctypes.c_uint32),
        ("box_count", ctypes.c_uint32),
        ("moves", Move * MOST_MOVES),
        ("boxes", Box * MOST_BOXES),
    )


class Sketch(ctypes.Structure):
    """A sketch without its cells and rows; see native/src/sketch.rs."""

    _fields_ = (
        ("background", ctypes.c_uint32),
        ("x", ctypes.c_uint32),
        ("y", ctypes.c_uint32),
        ("width", ctypes.c_uint32),
        ("height", ctypes.c_uint32),
        ("is_opaque", ctypes.c_bool),
        ("tint", ctypes.c_int64 * 3),
    )


class Piece(ctypes.Structure):
    """Connected different pixels; see native/src/shapes.rs."""

    _fields_ = (
        ("area", Box),
        ("pixels", ctypes.c_uint64),
        ("digest", ctypes.c_uint64 * 2),
        ("before", ctypes.c_uint32),
        ("after", ctypes.c_uint32),
        ("is_recolored", ctypes.c_bool),
    )


class SideFeatures(ctypes.Structure):
    """The features of one image in an area; see native/src/features.rs."""

    _fields_ = tuple((each.name, ctypes.c_uint64) for each in fields(features.SideFeatures))


class ChangeFeatures(ctypes.Structure):
    """The differences of both images in an area; see native/src/change_features.rs."""

    _fields_ = tuple((each.name, ctypes.c_uint64) for each in fields(features.ChangeFeatures))


class FaintAreas(ctypes.Structure):
    """Areas with differences up to the threshold; see native/src/faint.rs."""

    _fields_ = (
        ("pixels", ctypes.c_uint64),
        ("box_count", ctypes.c_uint32),
        ("stroke_count", ctypes.c_uint32),
        ("boxes", Box * MOST_BOXES),
        ("strokes", Box * MOST_BOXES),
    )


class AreaFeatures(ctypes.Structure):
    """All features of an area."""

    _fields_ = (("before", SideFeatures), ("after", SideFeatures), ("change", ChangeFeatures))


def library_path() -> Path:
    """Return the expected path of the library, next to the module."""
    return Path(__file__).with_name(NAMES.get(sys.platform, OTHER_NAME))


@cache
def load_library() -> ctypes.CDLL:
    """Return the library with its functions declared. Raises LibraryError."""
    path = library_path()
    if not path.exists():
        raise LibraryError(f"this installation has no {path.name}")
    try:
        library = ctypes.CDLL(str(path))
        version = library.vr_abi_version()
    except (OSError, AttributeError) as error:
        raise LibraryError(f"{path} cannot be loaded: {error}") from error
    if version != ABI_VERSION:
        raise LibraryError(
            f"{path} has version {version} of the interface, {ABI_VERSION} is needed; build it again"
        )
    _declare(library)
    return library


def _declare(library: ctypes.CDLL) -> None:
    image, pointer, size = ctypes.POINTER(Image), ctypes.c_void_p, ctypes.c_size_t
    number, rectangles = ctypes.c_uint32, ctypes.POINTER(Rectangle)
    library.vr_read_rows.argtypes = (image, number, number, pointer)
    library.vr_read_interlaced.argtypes = (image, pointer)
    library.vr_mark.argtypes = (
        *(image, image, ctypes.c_double, ctypes.c_bool),
        *(rectangles, size, pointer, ctypes.POINTER(PairResult)),
    )
    library.vr_read_whole.argtypes = (image, pointer)
    library.vr_settle.argtypes = (image, image, pointer)
    library.vr_crop.argtypes = (image, ctypes.POINTER(Box), pointer)
    library.vr_draw.argtypes = (image, image, rectangles, size, pointer, pointer)
    library.vr_find_pieces.argtypes = (
        *(image, image, rectangles, size, pointer, pointer, ctypes.POINTER(Move), size),
        *(ctypes.POINTER(Piece), number, ctypes.POINTER(number)),
    )
    library.vr_sketch.argtypes = (
        *(image, ctypes.POINTER(Box), ctypes.POINTER(Sketch), pointer, pointer),
        ctypes.POINTER(ctypes.c_int16),
    )
    library.vr_outline.argtypes = (
        *(image, number, number, ctypes.POINTER(Element), ctypes.POINTER(Box), number),
        ctypes.POINTER(number),
    )
    library.vr_find_faint.argtypes = (
        *(image, image, rectangles, size, pointer),
        ctypes.POINTER(FaintAreas),
    )
    library.vr_measure.argtypes = (
        *(image, image, pointer, ctypes.POINTER(Box), ctypes.c_int32, ctypes.c_int32),
        ctypes.POINTER(AreaFeatures),
    )
    library.vr_align.argtypes = (
        *(image, image, ctypes.c_double, rectangles, size, pointer, pointer),
        ctypes.POINTER(AlignmentResult),
    )
