"""The differences of the measured pairs: pure changes of a page's pixels."""

import struct
import zlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]

SIZES: Mapping[str, tuple[int, int]] = {
    "390x844": (390, 844),
    "1440x900": (1440, 900),
    "1280x6000": (1280, 6000),
}
FORMS = ("rgb", "rgba")
# The same pixels in another encoding; everything else is written by Chromium, as a capture is.
RE_ENCODED = ("re-encoded", "unfiltered")
KINDS = (*RE_ENCODED, "points", "text", "box", "shifted", "theme")
# One pixel in a thousand, anywhere, so that nearly every row differs.
POINT_SHARE = 0.001
BOX_SHARE = 0.05
BOX_COLOR = (200, 30, 60)
SHIFT = 7
# A page with alpha is transparent around the content, like a component without background.
FRAME = 24
SIGNATURE = b"\x89PNG\r\n\x1a\n"
NO_FILTER = b"\0"


def change_points(page: Pixels) -> Pixels:
    """Invert scattered pixels."""
    changed = page.copy()
    flat = changed.reshape(-1, page.shape[2])
    count = max(1, int(len(flat) * POINT_SHARE))
    chosen = np.random.default_rng(1).choice(len(flat), count, replace=False)
    flat[chosen] = 255 - flat[chosen]
    return changed


def change_box(page: Pixels) -> Pixels:
    """Fill a box in the middle, in the shape of the page."""
    height, width = page.shape[:2]
    rows, columns = int(height * BOX_SHARE**0.5), int(width * BOX_SHARE**0.5)
    top, left = (height - rows) // 2, (width - columns) // 2
    changed = page.copy()
    changed[top : top + rows, left : left + columns] = BOX_COLOR
    return changed


def shift_down(page: Pixels) -> Pixels:
    """Move everything down by a few rows; the size stays."""
    return np.concatenate([page[:SHIFT], page[:-SHIFT]])


def add_frame(page: Pixels) -> Pixels:
    """Return RGBA pixels, transparent near the edges."""
    height, width = page.shape[:2]
    framed = np.zeros((height, width, 4), np.uint8)
    inner = (slice(FRAME, height - FRAME), slice(FRAME, width - FRAME))
    framed[(*inner, slice(0, 3))] = page[inner]
    framed[(*inner, 3)] = 255
    return framed


def widen(page: Pixels) -> npt.NDArray[np.uint16]:
    """Return the same colors with 16 bits a sample."""
    return page.astype(np.uint16) * 257


def make_noise(width: int, height: int, seed: int) -> Pixels:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return np.ascontiguousarray(noise)


def encode_unfiltered(pixels: Pixels | npt.NDArray[np.uint16], level: int = 6) -> bytes:
    """Return a PNG whose rows have no filter."""
    height, width, samples = pixels.shape
    depth = pixels.dtype.itemsize * 8
    color_type = {3: 2, 4: 6}[samples]
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, 0)
    # PNG writes the high byte first.
    rows = pixels.astype(f">u{pixels.dtype.itemsize}").reshape(height, -1)
    data = zlib.compress(b"".join(NO_FILTER + row.tobytes() for row in rows), level)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)
