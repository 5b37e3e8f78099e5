"""Read image files within limits; recognize JPEG and WebP, and decode both with Pillow."""

import io
import os
import stat
import struct
from typing import Final

from PIL import Image, UnidentifiedImageError

from visual_review.client.comparing.errors import UnreadableFileError
from visual_review.client.comparing.pairs import describe_kind, explain
from visual_review.imagediff import BrokenImageError, ImageTooLargeError, Limits

_JPEG: Final = b"\xff\xd8\xff"
_WEBP_HEADER: Final = 30
# A pipe is opened without waiting for the other end; Windows would alter line endings.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def convert_to_png(data: bytes, limits: Limits) -> bytes:
    """Return a PNG of the same pixels for a JPEG or a WebP, and any other file unchanged.

    Raises ImageError.
    """
    if data.startswith(_JPEG):
        return _decode_to_png(data, "JPEG", limits)
    if is_webp(data):
        # Opening a WebP allocates the whole canvas, so the size is checked first.
        check_size(*read_webp_size(data), limits)
        return _decode_to_png(data, "WEBP", limits)
    return data


def is_webp(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def check_size(width: int, height: int, limits: Limits) -> None:
    """Raise ImageTooLargeError for an unsupported size."""
    if max(width, height) > limits.side or width * height > limits.pixels:
        raise ImageTooLargeError(
            f"the image is {width} x {height}; at most {limits.side:,} pixels a side and "
            f"{limits.pixels:,} pixels are supported"
        )


def read_webp_size(data: bytes) -> tuple[int, int]:
    """Return width and height from the header. Raises BrokenImageError.

    Source: RFC 9649, sections 2.5 to 2.7 and 3.
    """
    if len(data) < _WEBP_HEADER:
        raise BrokenImageError("the WebP is truncated")
    kind, body = data[12:16], data[20:_WEBP_HEADER]
    if kind == b"VP8X":
        return int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", body, 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", body, 6)
        return width & 0x3FFF, height & 0x3FFF
    raise BrokenImageError("the WebP has no image in its first chunk")


def _decode_to_png(data: bytes, form: str, limits: Limits) -> bytes:
    """Return the pixels of a JPEG or WebP as an uncompressed PNG; of an animation, the first frame.

    Color profiles and orientation are ignored, as in a PNG. Raises ImageError.
    """
    try:
        with Image.open(io.BytesIO(data), formats=(form,)) as image:
            check_size(*image.size, limits)
            has_alpha = "A" in image.getbands()
            pixels = image.convert("RGBA" if has_alpha else "RGB")
    except UnidentifiedImageError as error:
        raise BrokenImageError(f"the {form} is damaged") from error
    # Pillow's plugins raise all of these errors for damaged or truncated files.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise BrokenImageError(f"the {form} is damaged: {error}") from error
    target = io.BytesIO()
    # Compressing would take longer than decoding the compressed file saves.
    pixels.save(target, "PNG", compress_level=0)
    return target.getvalue()


def read_file(path: str, limits: Limits) -> bytes:
    """Return the content of a regular file. Raises UnreadableFileError."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return _read(descriptor, limits)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UnreadableFileError(explain(error)) from error


def _read(descriptor: int, limits: Limits) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError(describe_kind(status.st_mode))
    if status.st_size > limits.file_bytes:
        raise UnreadableFileError(
            f"the file has {status.st_size:,} bytes; at most {limits.file_bytes:,} are supported"
        )
    data = os.read(descriptor, status.st_size)
    # One read is enough for a file with no other writer meanwhile.
    while len(data) < status.st_size:
        more = os.read(descriptor, status.st_size - len(data))
        if not more:
            break
        data += more
    return data
