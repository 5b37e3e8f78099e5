"""Decoding: every color type, depth, filter and interlacing, sample by sample."""

import hashlib
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.support.case import Case
from tests.support.depth import rounds
from tests.support.imagediff.images import decode
from tests.support.imagediff.png_forms import FORMS, random_samples
from tests.support.imagediff.png_writer import Form, Samples, header, png, png_of_samples
from tests.support.imagediff.shared_data import shared
from visual_review.imagediff import BrokenImageError, hash_pixels, probe

pytestmark = pytest.mark.usefixtures("each_engine")


def expected_pixel(sample: tuple[int, ...], form: Form) -> tuple[int, ...]:
    """Return one pixel as the specification defines it."""
    if form.color == 3:
        assert form.palette is not None
        alphas = form.transparency or b""
        index = sample[0]
        color = tuple(form.palette[3 * index : 3 * index + 3])
        return (*color, alphas[index] if index < len(alphas) else 255)
    if form.transparency is not None:
        key = tuple(
            int.from_bytes(form.transparency[at : at + 2])
            for at in range(0, len(form.transparency), 2)
        )
        if key == sample:
            return 0, 0, 0, 0
    top = 2**form.depth - 1
    eight = tuple((2 * value * 255 + top) // (2 * top) for value in sample)
    color = eight[:3] if form.color in (2, 6) else eight[:1] * 3
    return (*color, eight[-1] if form.color in (4, 6) else 255)


@pytest.mark.parametrize(("color", "depth"), FORMS)
@given(
    st.tuples(st.integers(1, 17), st.integers(1, 11)),
    st.sets(st.sampled_from(("adam7", "key"))),
    st.integers(0, 10**6),
)
@settings(max_examples=rounds(10, 25))
def test_every_form_decodes_to_what_the_specification_says(
    color: int, depth: int, size: tuple[int, int], extras: set[str], seed: int
) -> None:
    rng = random.Random(seed)
    keyed = "key" in extras
    form = Form(
        depth, color, "adam7" in extras, filters=seed, idat_size=rng.choice((1, 7, 1 << 16))
    )
    samples = random_samples(seed, *size, form)
    if color == 3:
        form.palette = rng.randbytes(3 * 2**depth)
        form.transparency = rng.randbytes(rng.randint(1, 2**depth)) if keyed else None
    elif keyed and color in (0, 2):
        form.transparency = b"".join(value.to_bytes(2) for value in samples[0][0])
    decoded = decode(png_of_samples(samples, form))
    expected = [[expected_pixel(sample, form) for sample in row] for row in samples]
    assert decoded.dtype == np.uint8
    assert decoded.tolist() == [[list(pixel) for pixel in row] for row in expected]


def test_every_16_bit_value_is_rounded_to_the_nearest_of_8_bits() -> None:
    samples: Samples = [[(256 * row + column,) for column in range(256)] for row in range(256)]
    decoded = decode(png_of_samples(samples, Form(16, 0)))
    exact = np.arange(65536) * 255 / 65535
    assert np.abs(decoded[:, :, 0].reshape(-1) - exact).max() < 0.5


def test_an_image_of_many_bands_decodes_like_one_of_few() -> None:
    rng = np.random.default_rng(5)
    pixels = rng.integers(0, 256, (3000, 500, 4), dtype=np.uint8)
    data = png(pixels)
    assert (decode(data) == pixels).all()
    plain = (500).to_bytes(8) + (3000).to_bytes(8) + pixels.tobytes()
    assert hash_pixels(data).pixels_sha256 == hashlib.sha256(plain).hexdigest()


def test_equal_pixels_have_one_digest_however_they_are_stored() -> None:
    gray: Samples = [[(0,), (1,)], [(1,), (0,)]]
    rgb: Samples = [[(255 * value,) * 3 for (value,) in row] for row in gray]
    files = [
        png_of_samples(gray, Form(1, 0)),
        png_of_samples(gray, Form(1, 3, palette=b"\0\0\0\xff\xff\xff")),
        png_of_samples(rgb, Form(8, 2, interlaced=True, filters=1)),
        png_of_samples(rgb, Form(8, 2, idat_size=1, extra=[(b"tEXt", b"Title\0x")])),
    ]
    assert len(set(files)) == 4
    assert len({hash_pixels(data).pixels_sha256 for data in files}) == 1


def test_the_digest_is_that_of_size_and_pixels() -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    verified = hash_pixels(png(pixels))
    plain = (3).to_bytes(8) + (2).to_bytes(8) + pixels.tobytes()
    assert verified.pixels_sha256 == hashlib.sha256(plain).hexdigest()
    assert (verified.width, verified.height) == (3, 2)


def test_the_same_pixels_in_another_shape_have_another_digest() -> None:
    pixels = np.zeros((2, 6, 4), np.uint8)
    wide, tall = (hash_pixels(png(pixels.reshape(shape))) for shape in ((2, 6, 4), (6, 2, 4)))
    assert wide.pixels_sha256 != tall.pixels_sha256


def test_probing_reads_the_header_and_no_further() -> None:
    data = b"\x89PNG\r\n\x1a\n" + header(20, 10, 16, 2, 1) + b"nothing that is a chunk" * 20
    info = probe(data)
    assert (info.width, info.height, info.bit_depth, info.color_type) == (20, 10, 16, 2)
    assert info.interlaced


def test_of_an_animated_png_the_still_image_is_read() -> None:
    samples: Samples = [[(1, 2, 3, 4), (5, 6, 7, 8)]]
    frames = [(b"acTL", bytes(8)), (b"fcTL", bytes(26)), (b"fdAT", b"whatever")]
    assert decode(png_of_samples(samples, Form(extra=frames))).tolist() == [
        [[1, 2, 3, 4], [5, 6, 7, 8]]
    ]


def test_a_pixel_outside_the_palette_is_refused_with_its_number() -> None:
    data = png_of_samples([[(0,), (3,)]], Form(8, 3, palette=bytes(9)))
    with pytest.raises(BrokenImageError, match="palette entry 3, the palette has 3"):
        decode(data)


EXPECTED: dict[str, str] = json.loads(
    (Path(__file__).parent / "oracle" / "pngsuite.json").read_text()
)


def test_a_file_of_the_suite_has_the_pixels_that_pngjs_reads(case: Case) -> None:
    folder = shared("pngsuite", "suite")
    for name, digest in EXPECTED.items():
        with case(name):
            data = (folder / name).read_bytes()
            verified = hash_pixels(data)
            info = probe(data)
            assert verified.pixels_sha256 == digest
            assert (verified.width, verified.height) == (info.width, info.height)


def test_the_list_contains_the_whole_suite() -> None:
    names = {path.name for path in shared("pngsuite", "suite").glob("*.png")}
    assert names == set(EXPECTED)
    assert len(names) == 161


def test_files_of_up_to_eight_bits_have_the_pixels_that_pillow_reads() -> None:
    compared = 0
    for path in sorted(shared("pngsuite", "suite").glob("*.png")):
        data = path.read_bytes()
        info = probe(data)
        image = Image.open(io.BytesIO(data))
        # Pillow truncates 16-bit samples, and takes the transparent gray of fewer than 8 bits
        # for one of 8 bits.
        narrow = info.bit_depth < 8 and info.color_type == 0 and "transparency" in image.info
        if info.bit_depth == 16 or narrow:
            continue
        ours = decode(data)
        theirs = np.asarray(image.convert("RGBA"))
        seen = ours[:, :, 3] > 0
        assert (ours[:, :, 3] == theirs[:, :, 3]).all(), path.name
        assert (ours[seen] == theirs[seen]).all(), path.name
        compared += 1
    assert compared > 100
