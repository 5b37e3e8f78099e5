"""Files get smaller, pixels stay."""

import io
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from visual_review.client.publishing.storybook import repack


def encode(image: Image.Image, level: int) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=level)
    return file.getvalue()


@given(st.sampled_from(["L", "LA", "RGB", "RGBA"]), st.integers(1, 40), st.binary(max_size=60))
def test_pixels_stay_and_how_they_were_packed_does_not_matter(
    mode: str, width: int, seed: bytes
) -> None:
    size = (width, 1 + len(seed) % 7)
    length = size[0] * size[1] * len(mode)
    image = Image.frombytes(mode, size, (seed * length + bytes(length))[:length])
    packed = {repack(encode(image, level)) for level in (1, 9)}
    # Equal rows give equal bytes; Pillow filters alike at every level but 0.
    assert len(packed) == 1
    with Image.open(io.BytesIO(packed.pop())) as read:
        assert (read.mode, read.size, read.tobytes()) == (mode, size, image.tobytes())


def test_a_quickly_packed_file_gets_smaller() -> None:
    quick = encode(Image.new("RGB", (400, 300), "white"), 0)
    assert len(repack(quick)) < len(quick) / 10


GOOD = encode(Image.new("RGB", (8, 8), "red"), 6)


def with_height(height: int) -> bytes:
    """Return a file whose header promises another height."""
    body = GOOD[12:20] + struct.pack(">I", height) + GOOD[24:29]
    return GOOD[:12] + body + struct.pack(">I", zlib.crc32(body)) + GOOD[33:]


@pytest.mark.parametrize(
    "other", [b"", b"GIF89a", GOOD[:40], GOOD[:-3], with_height(7), with_height(9_000_000)]
)
def test_what_browsers_do_not_write_stays_as_it_is(other: bytes) -> None:
    assert repack(other) == other
