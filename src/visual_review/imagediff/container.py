"""The PNG container: signature, chunks, checksums and the rules between them.

Source: PNG Specification, third edition, sections 5 and 11.
"""

import struct
from dataclasses import dataclass, field
from typing import Final

import deflate

from visual_review.imagediff.errors import BrokenImageError, ImageTooLargeError, NotPngError
from visual_review.imagediff.model import DEFAULT_LIMITS, ImageInfo, Limits

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
HEADER_BYTES: Final = 13
HEADER_END: Final = len(SIGNATURE) + 8 + HEADER_BYTES + 4

GRAY: Final = 0
RGB: Final = 2
PALETTE: Final = 3
GRAY_ALPHA: Final = 4
RGBA: Final = 6

SAMPLES: Final = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
DEPTHS: Final = {
    GRAY: (1, 2, 4, 8, 16),
    RGB: (8, 16),
    PALETTE: (1, 2, 4, 8),
    GRAY_ALPHA: (8, 16),
    RGBA: (8, 16),
}

# First column, first row, column step, row step of each Adam7 pass.
ADAM7: Final = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)

# The chunks of the pixels, and gAMA, because pngjs verifies the checksum of gAMA as well.
PIXEL_CHUNKS: Final = (b"IHDR", b"PLTE", b"IDAT", b"tRNS", b"gAMA", b"IEND")

# Deflate never expands by more, so a header that needs more is false.
MAX_EXPANSION: Final = 1032

OTHER_FORMATS: Final = (
    (b"\xff\xd8\xff", "a JPEG"),
    (b"GIF8", "a GIF"),
    (b"BM", "a BMP"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x8aMNG", "an MNG"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file it stands for"),
)


@dataclass(slots=True)
class Container:
    """The parts of a checked PNG file for its pixels."""

    info: ImageInfo
    palette: bytes | None = None
    transparency: bytes | None = None
    data: list[memoryview] = field(default_factory=list)


def describe_format(data: bytes) -> str:
    """Describe the apparent format of ``data``, for the error that the file is not a PNG."""
    if not data:
        return "an empty file"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "a WebP"
    for start, name in OTHER_FORMATS:
        if data.startswith(start):
            return name
    if data[:256].lstrip().startswith(b"<"):
        return "markup such as SVG or HTML"
    if data[1:4] == b"PNG" or SIGNATURE.startswith(data[:8]):
        return "a PNG whose signature was damaged in transfer"
    return "of an unknown format"


def probe(data: bytes, limits: Limits = DEFAULT_LIMITS) -> ImageInfo:
    """Check the header only and return its values.

    Raises ImageError for a file that is not a PNG, too large, or smaller than its header implies.
    """
    return read_header(data, limits)


def read_header(data: bytes, limits: Limits) -> ImageInfo:
    """Check signature, header and sizes only; the rest of the file is not read."""
    if len(data) > limits.file_bytes:
        raise ImageTooLargeError(
            f"the file has {len(data):,} bytes; at most {limits.file_bytes:,} are supported"
        )
    if not data.startswith(SIGNATURE):
        raise NotPngError(f"not a PNG but {describe_format(data)}; send a PNG")
    length, kind = _chunk_start(data, len(SIGNATURE))
    if kind != b"IHDR" or length != HEADER_BYTES:
        raise BrokenImageError("the PNG does not start with a header chunk of 13 bytes")
    _check_crc(data, len(SIGNATURE), length, kind)
    info = _parse_header(data[len(SIGNATURE) + 8 : HEADER_END - 4])
    _check_size(info, limits)
    # Checked before any memory is allocated for pixels. Interlaced data is never shorter than
    # count_packed_bytes.
    if count_packed_bytes(info) > MAX_EXPANSION * len(data):
        raise BrokenImageError(
            f"the header promises {info.width} x {info.height} pixels, more than the file's "
            f"{len(data):,} bytes can hold"
        )
    return info


def read_container(data: bytes, limits: Limits) -> Container:
    """Read every chunk; verify checksums and the order required by the specification.

    A wrong checksum passes where the chunk cannot alter pixels.
    """
    container = Container(read_header(data, limits))
    view = memoryview(data)
    position, count, previous = HEADER_END, 1, b"IHDR"
    while True:
        length, kind = _chunk_start(data, position)
        _check_crc(data, position, length, kind)
        body = view[position + 8 : position + 8 + length]
        position += length + 12
        count += 1
        # A file of empty chunks has millions of chunks, and each costs a step in Python.
        if count > limits.chunks:
            raise ImageTooLargeError(f"the PNG has more than {limits.chunks:,} chunks")
        if kind == b"IEND":
            break
        _read_chunk(container, kind, body, previous)
        previous = kind
    _check_end(container, len(body), len(data) - position)
    return container


def count_packed_bytes(info: ImageInfo) -> int:
    """Return the size of the inflated data with filter bytes; a minimum if interlaced."""
    return info.height * (1 + count_row_bytes(info, info.width))


def count_inflated_bytes(info: ImageInfo) -> int:
    """Return the exact size of the inflated data with filter bytes."""
    if not info.interlaced:
        return count_packed_bytes(info)
    sizes = (
        (len(range(left, info.width, across)), len(range(top, info.height, down)))
        for left, top, across, down in ADAM7
    )
    # A pass without pixels has no filter bytes either.
    return sum(rows * (1 + count_row_bytes(info, columns)) for columns, rows in sizes if columns)


def count_row_bytes(info: ImageInfo, width: int) -> int:
    """Return the bytes of one scanline of ``width`` pixels without its filter byte."""
    return (width * SAMPLES[info.color_type] * info.bit_depth + 7) // 8


def _chunk_start(data: bytes, position: int) -> tuple[int, bytes]:
    if position + 12 > len(data):
        raise BrokenImageError(f"the PNG is truncated at byte {len(data):,}: chunks are missing")
    length, kind = struct.unpack_from(">I4s", data, position)
    # Chunk types are ASCII letters; other bytes mean a wrong earlier length.
    if not kind.isalpha():
        raise BrokenImageError(f"no chunk begins at byte {position:,}, where one is expected")
    if position + 12 + length > len(data):
        raise BrokenImageError(
            f"the PNG is truncated: its {kind.decode()} chunk at byte {position:,} needs "
            f"{length:,} bytes, the file ends at {len(data):,}"
        )
    return length, kind


def _is_ancillary(kind: bytes) -> bool:
    # A lowercase first letter marks a chunk that readers may skip (section 5.4).
    return bool(kind[0] & 0x20)


def _may_alter_pixels(kind: bytes) -> bool:
    # The damage may be in the type: one byte makes another chunk of a tRNS.
    return not _is_ancillary(kind) or any(
        sum(one != two for one, two in zip(kind, known, strict=True)) <= 1 for known in PIXEL_CHUNKS
    )


def _check_crc(data: bytes, position: int, length: int, kind: bytes) -> None:
    end = position + 8 + length
    (expected,) = struct.unpack_from(">I", data, end)
    damaged = deflate.crc32(memoryview(data)[position + 4 : end]) != expected
    if damaged and _may_alter_pixels(kind):
        raise BrokenImageError(
            f"the {kind.decode()} chunk at byte {position:,} is damaged: its checksum is wrong"
        )


def _parse_header(body: bytes) -> ImageInfo:
    width, height, depth, color, compression, filtering, interlace = struct.unpack(">IIBBBBB", body)
    if not (0 < width < 2**31 and 0 < height < 2**31):
        raise BrokenImageError(f"the header has an impossible size: {width} x {height}")
    if depth not in DEPTHS.get(color, ()):
        raise BrokenImageError(
            f"the header has color type {color} with {depth} bits, which PNG does not allow"
        )
    if compression or filtering or interlace > 1:
        raise BrokenImageError(
            f"the header names unknown methods: compression {compression}, "
            f"filter {filtering}, interlace {interlace}"
        )
    return ImageInfo(width, height, depth, color, bool(interlace))


def _check_size(info: ImageInfo, limits: Limits) -> None:
    size = f"{info.width} x {info.height}"
    if max(info.width, info.height) > limits.side:
        raise ImageTooLargeError(
            f"the image is {size}; at most {limits.side:,} pixels a side are supported"
        )
    if info.width * info.height > limits.pixels:
        raise ImageTooLargeError(
            f"the image is {size}, {info.width * info.height:,} pixels; at most "
            f"{limits.pixels:,} are supported"
        )


def _read_chunk(container: Container, kind: bytes, body: memoryview, previous: bytes) -> None:
    if kind == b"IDAT":
        if container.data and previous != b"IDAT":
            raise BrokenImageError("other chunks are between the IDAT chunks")
        container.data.append(body)
    elif kind == b"PLTE":
        _read_palette(container, bytes(body))
    elif kind == b"tRNS":
        _read_transparency(container, bytes(body))
    elif not _is_ancillary(kind):
        raise BrokenImageError(f"the critical chunk {kind.decode()} is misplaced or unknown")


def _read_palette(container: Container, body: bytes) -> None:
    info = container.info
    if container.palette is not None or container.data:
        raise BrokenImageError("the palette is repeated or comes after the image data")
    if info.color_type in (GRAY, GRAY_ALPHA):
        raise BrokenImageError("a grayscale PNG must not have a palette")
    most = 256 if info.color_type != PALETTE else 2**info.bit_depth
    if not body or len(body) % 3 or len(body) // 3 > most:
        raise BrokenImageError(f"the palette has {len(body)} bytes; 3 to {3 * most} are allowed")
    container.palette = body


def _read_transparency(container: Container, body: bytes) -> None:
    info = container.info
    if container.transparency is not None or container.data:
        raise BrokenImageError("the tRNS chunk is repeated or comes after the image data")
    if info.color_type == PALETTE:
        fits = container.palette is not None and 0 < len(body) <= len(container.palette) // 3
    else:
        fits = len(body) == {GRAY: 2, RGB: 6}.get(info.color_type)
    if not fits:
        raise BrokenImageError(
            f"the tRNS chunk of {len(body)} bytes does not fit color type {info.color_type}"
        )
    container.transparency = body


def _check_end(container: Container, end_bytes: int, trailing: int) -> None:
    if not container.data:
        raise BrokenImageError("the PNG has no image data (IDAT)")
    if container.info.color_type == PALETTE and container.palette is None:
        raise BrokenImageError("the PNG uses palette colors but has no palette")
    if end_bytes or trailing:
        raise BrokenImageError(f"{end_bytes + trailing:,} stray bytes follow the end of the image")
