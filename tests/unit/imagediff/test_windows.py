"""Reading parts of images: unscaled, scaled down by averaging, enlarged in squares."""

import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.support.imagediff.png_writer import Form, header, png, png_of_samples, raw_png
from visual_review.imagediff import Box, BrokenImageError
from visual_review.imagediff.rendering.windows import Window, read_window

pytestmark = pytest.mark.usefixtures("each_engine")

Pixels = npt.NDArray[np.uint8]


def noise(width: int, height: int, seed: int = 1) -> Pixels:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[:, :, 3] = 255
    return pixels


def read(data: bytes, window: Window) -> Pixels:
    return np.asarray(read_window(data, window))


@given(st.data())
def test_a_part_at_its_own_size_is_that_part(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 60))
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    part = Box(x, y, data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y)))
    pixels = noise(width, height)
    found = read(png(pixels), Window(part, part.width, part.height))
    assert (found == pixels[y : y + part.height, x : x + part.width, :3]).all()


def test_a_part_of_an_image_of_many_bands_is_that_part() -> None:
    pixels = noise(1000, 2000)
    found = read(png(pixels), Window(Box(10, 500, 300, 1200), 300, 1200))
    assert (found == pixels[500:1700, 10:310, :3]).all()


def test_an_interlaced_image_is_read_too() -> None:
    pixels = noise(50, 40)
    samples = [[tuple(pixel) for pixel in row] for row in pixels.tolist()]
    data = png_of_samples(samples, Form(interlaced=True))
    found = read(data, Window(Box(5, 6, 20, 30), 20, 30))
    assert (found == pixels[6:36, 5:25, :3]).all()


def test_enlarged_pixels_are_squares() -> None:
    pixels = noise(5, 4)
    found = read(png(pixels), Window(Box(1, 1, 3, 2), 12, 8))
    assert (found == pixels[1:3, 1:4, :3].repeat(4, axis=0).repeat(4, axis=1)).all()


@pytest.mark.parametrize(("width", "height"), [(37, 23), (300, 200), (640, 3001)])
def test_scaling_down_keeps_colors_in_place(width: int, height: int) -> None:
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[:, :, 3] = 255
    pixels[:, : width // 2, 0] = 200
    pixels[: height // 2, :, 1] = 100
    found = read(png(pixels), Window(Box(0, 0, width, height), width // 9, height // 9))
    expected = Image.fromarray(pixels[:, :, :3]).resize((width // 9, height // 9))
    assert np.abs(found.astype(int) - np.asarray(expected).astype(int)).mean() < 6


def test_transparent_pixels_are_blended_with_white() -> None:
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0] = (255, 0, 0, 128)
    pixels[1, 1] = (10, 20, 30, 255)
    found = read(png(pixels), Window(Box(0, 0, 2, 2), 2, 2))
    assert found.tolist() == [
        [[255, 127, 127], [255, 255, 255]],
        [[255, 255, 255], [10, 20, 30]],
    ]


@pytest.mark.parametrize("factor", [2, 3, 7, 31])
def test_one_changed_pixel_survives_scaling_a_diff_image_down(factor: int) -> None:
    pixels = np.full((403, 307, 4), 255, np.uint8)
    pixels[200, 150] = (255, 0, 0, 255)
    size = (307 // factor, 403 // factor)
    found = read(png(pixels), Window(Box(0, 0, 307, 403), *size, is_diff=True))
    red = np.argwhere((found == (255, 0, 0)).all(axis=2))
    # Where sizes are no multiples, the pixel may be in two of a row.
    assert 1 <= len(red) <= 4
    assert np.abs(red * factor - (200, 150)).max() <= 2 * factor


def test_a_damaged_image_is_refused() -> None:
    data = bytearray(png(noise(50, 50)))
    data[200] ^= 0xFF
    with pytest.raises(BrokenImageError):
        read_window(bytes(data), Window(Box(0, 0, 10, 10), 10, 10))


READER = """
import pathlib, sys
from visual_review.imagediff import Box
from visual_review.imagediff.rendering.windows import Window, read_window
data = pathlib.Path(sys.argv[1]).read_bytes()
for is_diff in (False, True):
    read_window(data, Window(Box(0, 0, 1440, 16000), 60, 666, is_diff))
status = pathlib.Path("/proc/self/status").read_text()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_tall_page_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "tall.png"
    row = b"\0" + b"\xff" * 1440 * 3
    path.write_bytes(raw_png(header(1440, 16_000, 8, 2), zlib.compress(row * 16_000, 1)))
    made = subprocess.run(
        [sys.executable, "-c", READER, str(path)], check=True, capture_output=True, text=True
    )
    # The inflated data take 69 MB, all pixels would take 92 more, and the program takes 45.
    assert int(made.stdout) < 130
