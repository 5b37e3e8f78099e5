"""Damaged, truncated and hostile files, each with an error that names the fault."""

import contextlib
import io
import random
import struct
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from tests.support.case import Case
from tests.support.depth import rounds
from tests.support.imagediff.images import decode
from tests.support.imagediff.png_writer import (
    SIGNATURE,
    Form,
    Samples,
    chunk,
    header,
    png,
    png_of_samples,
    raw_png,
)
from visual_review.imagediff import (
    BrokenImageError,
    ImageError,
    ImageTooLargeError,
    Limits,
    NotPngError,
    compare,
    hash_pixels,
    probe,
)

pytestmark = pytest.mark.usefixtures("each_engine")

SAMPLES: Samples = [[(0,), (1,), (2,)], [(2,), (1,), (0,)]]
SOUND = png_of_samples(
    SAMPLES,
    Form(
        2,
        3,
        interlaced=True,
        palette=bytes(range(9)),
        transparency=b"\x01",
        extra=[(b"gAMA", bytes(4))],
    ),
)
TEXT = b"Title\0text"
SOUND_WITH_TEXT = SOUND.replace(chunk(b"IEND"), chunk(b"tEXt", TEXT) + chunk(b"IEND"))
GRAY_ROWS = zlib.compress(bytes([0, 1, 2, 3, 0, 4, 5, 6]))
HEAD = header(3, 2, 8, 0)


def saved(kind: str) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(target, kind)
    return target.getvalue()


def test_the_file_that_is_damaged_below_is_valid() -> None:
    assert decode(SOUND).shape == (2, 3, 4)
    assert decode(raw_png(HEAD, GRAY_ROWS))[:, :, 0].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_file_truncated_anywhere_is_refused(case: Case) -> None:
    for length in range(len(SOUND)):
        with case(f"{length} bytes"), pytest.raises(ImageError):
            hash_pixels(SOUND[:length])


def flipped(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the data with one byte changed, at every place in some ways."""
    for at in range(len(data)):
        for flip in (0x01, 0x20, 0xFF):
            yield at, data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]


def test_a_file_with_any_one_byte_changed_is_refused_or_has_the_same_pixels(case: Case) -> None:
    expected = decode(SOUND_WITH_TEXT)
    start = SOUND_WITH_TEXT.index(b"tEXt") + 4
    for at, broken in flipped(SOUND_WITH_TEXT):
        with case(f"byte {at}"):
            if start <= at < start + len(TEXT) + 4:
                assert (decode(broken) == expected).all()
            elif start - 4 <= at < start:
                with contextlib.suppress(ImageError):
                    assert (decode(broken) == expected).all()
            else:
                with pytest.raises(ImageError):
                    decode(broken)


def test_only_chunks_that_cannot_alter_pixels_may_have_a_wrong_checksum(case: Case) -> None:
    for kind in (b"tEXt", b"tIME", b"iCCP", b"eXIf", b"prVt"):
        with case(kind):
            damaged = chunk(kind, b"anything")[:-4] + b"wrong"[:4]
            assert decode(raw_png(HEAD, GRAY_ROWS, damaged)).shape == (2, 3, 4)
    for kind in (b"gAMA", b"tRNS", b"tRNs", b"uRNS", b"pLTE", b"iDAT", b"IDAT", b"ABCD"):
        words = f"{kind.decode()} chunk at byte 33 is damaged"
        damaged = chunk(kind, bytes(2))[:-4] + b"wrong"[:4]
        with case(kind), pytest.raises(BrokenImageError, match=words):
            decode(raw_png(HEAD, GRAY_ROWS, damaged))


@given(st.integers(0, 10**9))
@settings(max_examples=rounds(60, 300))
def test_any_damage_to_chunks_ends_in_pixels_or_an_image_error(seed: int) -> None:
    rng = random.Random(seed)
    parts = [
        HEAD,
        chunk(b"PLTE", rng.randbytes(rng.choice((3, 6, 7)))),
        chunk(b"tRNS", rng.randbytes(rng.choice((1, 2, 6)))),
        chunk(b"IDAT", GRAY_ROWS[: rng.randrange(len(GRAY_ROWS) + 1)]),
        chunk(b"IDAT", rng.choice((b"", GRAY_ROWS[4:], rng.randbytes(9)))),
        chunk(b"IEND"),
        rng.randbytes(5),
    ]
    rng.shuffle(parts)
    data = SIGNATURE + HEAD + b"".join(parts[: rng.randrange(len(parts) + 1)])
    with contextlib.suppress(ImageError):
        assert decode(data).shape == (2, 3, 4)


OTHER_FILES = {
    "empty": (b"", "an empty file"),
    "JPEG": (saved("JPEG"), "a JPEG"),
    "GIF": (saved("GIF"), "a GIF"),
    "WebP": (saved("WEBP"), "a WebP"),
    "BMP": (saved("BMP"), "a BMP"),
    "TIFF": (saved("TIFF"), "a TIFF"),
    "SVG": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "markup"),
    "HTML": (b"\n<!doctype html>", "markup"),
    "Git LFS": (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    "line ends": (SOUND.replace(b"\r\n", b"\n", 1), "damaged in transfer"),
    "first byte": (b"\x09" + SOUND[1:], "damaged in transfer"),
    "text": (b"just text", "unknown format"),
}


def test_the_error_names_the_format_of_what_is_not_a_png(case: Case) -> None:
    for name, (data, words) in OTHER_FILES.items():
        with case(name):
            for read in (probe, decode, hash_pixels):
                with pytest.raises(NotPngError, match=words):
                    read(data)


def test_color_types_and_depths_that_png_lacks_are_refused(case: Case) -> None:
    for color, depth in ((1, 8), (9, 8), (2, 0), (2, 3), (2, 99), (2, 4), (3, 16), (4, 4)):
        words = f"color type {color} with {depth} bits"
        with case(words), pytest.raises(BrokenImageError, match=words):
            probe(raw_png(header(3, 2, depth, color), GRAY_ROWS))


def test_unknown_methods_are_refused(case: Case) -> None:
    for method in ((1, 0, 0), (0, 1, 0), (0, 0, 2)):
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, *method))
        with case(method), pytest.raises(BrokenImageError, match="unknown methods"):
            probe(raw_png(head, GRAY_ROWS))


def test_impossible_sizes_are_refused(case: Case) -> None:
    for size in ((0, 2), (3, 0), (2**31, 2), (3, 2**32 - 1)):
        with case(size), pytest.raises(BrokenImageError, match="impossible size"):
            probe(raw_png(header(*size, 8, 0), GRAY_ROWS))


FAULTS = (
    (SIGNATURE + HEAD + chunk(b"IEND"), "no image data"),
    (SIGNATURE + chunk(b"IDAT", GRAY_ROWS) + chunk(b"IEND"), "does not start with a header"),
    (raw_png(HEAD, GRAY_ROWS) + b"PK", "2 stray bytes"),
    (raw_png(HEAD, GRAY_ROWS)[:-12] + chunk(b"IEND", b"x"), "1 stray bytes"),
    (raw_png(HEAD, GRAY_ROWS + b"x"), "stray bytes follow the compressed"),
    (raw_png(HEAD, GRAY_ROWS, HEAD), "IHDR is misplaced"),
    (raw_png(HEAD, GRAY_ROWS, chunk(b"ABCD")), "ABCD is misplaced or unknown"),
    (raw_png(HEAD, GRAY_ROWS, chunk(b"PLTE", b"abc")), "grayscale PNG must not have a palette"),
    (raw_png(HEAD, GRAY_ROWS, chunk(b"tRNS", b"abc")), "does not fit color type 0"),
    (raw_png(header(3, 2, 8, 3), GRAY_ROWS), "has no palette"),
    (raw_png(header(3, 2, 8, 3), GRAY_ROWS, chunk(b"PLTE", b"ab")), "palette has 2 bytes"),
    (raw_png(header(3, 2, 1, 3), GRAY_ROWS, chunk(b"PLTE", bytes(9))), "palette has 9 bytes"),
    (raw_png(HEAD, GRAY_ROWS[:-6]), "truncated before its checksum|ends early"),
    (raw_png(HEAD, GRAY_ROWS[:-4] + bytes(4)), "image data is damaged"),
    (raw_png(HEAD, b"not deflated"), "image data is damaged"),
    (raw_png(HEAD, zlib.compress(bytes(7))), "1 bytes of the image are missing"),
    (raw_png(HEAD, zlib.compress(bytes(9))), "more than the header announces"),
    (raw_png(HEAD, zlib.compress(bytes([5, 0, 0, 0] * 2))), "unknown row filter"),
    (raw_png(HEAD, zlib.compress(bytes([255, 0, 0, 0] * 2))), "unknown row filter"),
    (
        SIGNATURE + HEAD + chunk(b"IDAT", GRAY_ROWS[:5]) + chunk(b"tEXt")
        + chunk(b"IDAT", GRAY_ROWS[5:]) + chunk(b"IEND"),
        "between the IDAT",
    ),
    (SIGNATURE + HEAD + struct.pack(">I4s", 2**32 - 1, b"IDAT") + bytes(9), "truncated"),
    (SIGNATURE + HEAD + bytes(30), "no chunk begins"),
)  # fmt: skip


def test_each_fault_is_named(case: Case) -> None:
    for number, (data, words) in enumerate(FAULTS):
        with case(f"{number}: {words}"):
            for read in (decode, hash_pixels):
                with pytest.raises(BrokenImageError, match=words):
                    read(data)


def test_limits_refuse_with_both_numbers() -> None:
    with pytest.raises(ImageTooLargeError, match=r"1 x 70000; at most 65,535 pixels a side"):
        probe(png(np.zeros((70_000, 1, 4), np.uint8)))
    data = png(np.zeros((20, 30, 4), np.uint8))
    with pytest.raises(ImageTooLargeError, match=r"30 x 20, 600 pixels; at most 599"):
        decode(data, Limits(pixels=599))
    with pytest.raises(ImageTooLargeError, match=f"has {len(data)} bytes; at most 20"):
        hash_pixels(data, Limits(file_bytes=20))
    assert decode(data, Limits(side=30, pixels=600, file_bytes=len(data))).shape == (20, 30, 4)


def test_a_tall_image_is_read_where_the_limits_allow_it() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (70_000, 1, 4), dtype=np.uint8)
    assert (decode(png(pixels), Limits(side=70_000)) == pixels).all()


def test_the_probe_refuses_a_header_that_needs_a_larger_file() -> None:
    with pytest.raises(BrokenImageError, match="more than the file's"):
        probe(raw_png(header(7000, 7000), GRAY_ROWS))


def test_a_comparison_names_the_side_whose_image_is_broken() -> None:
    with pytest.raises(BrokenImageError) as first:
        compare(SOUND[:-1], SOUND)
    with pytest.raises(BrokenImageError) as second:
        compare(SOUND, SOUND[:-1])
    assert (first.value.side, second.value.side) == ("before", "after")


def test_pillow_is_left_as_strict_as_it_was() -> None:
    decode(SOUND)
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False
