"""JPEG and WebP are read within limits, and their pixels reach the comparison unchanged."""

import io
import struct

import numpy as np
import pytest
from PIL import Image

from tests.support.case import Case
from tests.support.imagediff.pixels import decode
from visual_review.client.comparing.other_formats import convert_to_png, read_webp_size
from visual_review.imagediff import DEFAULT_LIMITS, ImageError, ImageTooLargeError, Limits


def encode(image: Image.Image, form: str, **options: object) -> bytes:
    target = io.BytesIO()
    image.save(target, form, **options)  # type: ignore[arg-type]
    return target.getvalue()


def noise(mode: str, size: tuple[int, int] = (33, 21)) -> Image.Image:
    rng = np.random.default_rng(7)
    bands = len(Image.new(mode, (1, 1)).getbands())
    return Image.fromarray(
        rng.integers(0, 256, (size[1], size[0], bands), np.uint8).squeeze(), mode
    )


def test_the_pixels_are_those_that_pillow_reads(case: Case) -> None:
    files = {
        "jpeg": encode(noise("RGB"), "JPEG"),
        "gray jpeg": encode(noise("L"), "JPEG"),
        "webp": encode(noise("RGB"), "WEBP"),
        "lossless webp": encode(noise("RGB"), "WEBP", lossless=True),
        "webp with alpha": encode(noise("RGBA"), "WEBP", lossless=True, exact=True),
    }
    for name, data in files.items():
        with case(name):
            expected = np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))
            assert np.array_equal(decode(convert_to_png(data, DEFAULT_LIMITS)), expected)


def test_the_size_of_every_kind_of_webp_is_read_before_it_is_opened(case: Case) -> None:
    small = noise("RGB", (3, 200))
    frames = {"save_all": True, "append_images": [noise("RGB", (3, 200))]}
    for name, options in (("lossy", {}), ("lossless", {"lossless": True}), ("animated", frames)):
        with case(name):
            data = encode(small, "WEBP", **options)
            assert read_webp_size(data) == (3, 200)
            with pytest.raises(
                ImageTooLargeError, match="the image is 3 x 200; at most 100 pixels"
            ):
                convert_to_png(data, Limits(side=100))


def test_a_jpeg_above_the_limits_is_an_error() -> None:
    with pytest.raises(ImageTooLargeError, match="the image is 33 x 21"):
        convert_to_png(encode(noise("RGB"), "JPEG"), Limits(pixels=600))


def test_damaged_files_are_errors(case: Case) -> None:
    jpeg, webp = encode(noise("RGB"), "JPEG"), encode(noise("RGB"), "WEBP")
    files = {
        "start of a JPEG": jpeg[:3],
        "JPEG without end": jpeg[:-200],
        "WebP header": webp[:20],
        "WebP without end": webp[: len(webp) // 2],
        "unknown chunk": webp[:12] + b"ABCD" + webp[16:],
        "JPEG of a huge size": jpeg.replace(struct.pack(">HH", 21, 33), b"\xff\xff\xff\xff"),
    }
    for name, data in files.items():
        with case(name), pytest.raises(ImageError):
            convert_to_png(data, DEFAULT_LIMITS)


def test_anything_else_stays_as_it_is() -> None:
    for data in (b"", b"RIFF", b"GIF89a", encode(noise("RGB"), "PNG")):
        assert convert_to_png(data, DEFAULT_LIMITS) is data
