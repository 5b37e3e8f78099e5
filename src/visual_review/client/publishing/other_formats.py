"""Converts JPEG and WebP to PNG without changing a pixel, or says why it cannot."""

import io
import struct
from typing import Final

from PIL import ExifTags, Image, UnidentifiedImageError

from visual_review.client.comparing.other_formats import check_size, is_webp, read_webp_size
from visual_review.imagediff import BrokenImageError, Limits
from visual_review.imagediff.container import SIGNATURE

_JPEG: Final = b"\xff\xd8\xff"
# Modes that a PNG stores as they are.
_EXACT_MODES: Final = ("L", "RGB", "RGBA")
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def find_format(data: bytes) -> str:
    """Return JPEG or WEBP by the first bytes, whatever the file is called; empty for others."""
    if data.startswith(_JPEG):
        return "JPEG"
    return "WEBP" if is_webp(data) else ""


def convert_exactly(data: bytes, form: str, limits: Limits) -> bytes:
    """Return a PNG of the same pixels. Raises ImageError."""
    if form == "WEBP":
        # Opening a WebP allocates its canvas, so the size is checked before.
        check_size(*read_webp_size(data), limits)
    try:
        with Image.open(io.BytesIO(data), formats=(form,)) as image:
            check_size(*image.size, limits)
            _require_exact(image, form)
            image.load()
            upright = _turn_upright(image)
            # Profiles and times in the file would make PNGs of equal pixels differ.
            return _write_png(Image.frombytes(upright.mode, upright.size, upright.tobytes()))
    except UnidentifiedImageError as error:
        raise BrokenImageError(f"the {form} is damaged") from error
    # Pillow's plugins raise these for files that are damaged or truncated.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise BrokenImageError(f"the {form} is damaged: {error}") from error


def _require_exact(image: Image.Image, form: str) -> None:
    if getattr(image, "n_frames", 1) > 1:
        raise BrokenImageError(f"the {form} is an animation; publish one image of it as PNG")
    if image.mode not in _EXACT_MODES:
        raise BrokenImageError(
            f"the {form} has {image.mode} colors, which cannot be converted exactly; write a PNG"
        )


def _turn_upright(image: Image.Image) -> Image.Image:
    """Turn the image as browsers show it; a PNG has no orientation of its own."""
    turn = _TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    return image if turn is None else image.transpose(turn)


def is_animated_png(data: bytes) -> bool:
    """Return whether it has several frames, of which only the first would be compared."""
    position = len(SIGNATURE)
    while data.startswith(SIGNATURE) and position + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        if kind == b"IDAT":
            return False
        if kind == b"acTL":
            return int.from_bytes(data[position + 8 : position + 12]) > 1
        position += length + 12
    return False


def _write_png(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()
