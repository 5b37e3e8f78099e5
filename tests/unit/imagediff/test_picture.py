"""The diff image: its size in pixels, its colors, and its small file."""

import io

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from tests.support.imagediff.images import decode, pairs
from tests.support.imagediff.png_writer import png
from visual_review.imagediff import (
    Options,
    Region,
    compare,
    compare_and_render,
    render_diff,
)

pytestmark = pytest.mark.usefixtures("each_engine")

RED = (255, 0, 0)
YELLOW = (255, 210, 0)
BLUE = (120, 160, 255)
PURPLE = (190, 90, 190)


def where(image: bytes, color: tuple[int, int, int]) -> npt.NDArray[np.bool_]:
    flags: npt.NDArray[np.bool_] = (decode(image)[:, :, :3] == color).all(axis=2)
    return flags


def test_changed_pixels_are_red_and_anti_aliased_ones_yellow() -> None:
    before, after = (png(pixels) for pixels in pairs()["disc moved by three pixels"])
    compared = compare_and_render(before, after, Options())
    assert compared.verdict == compare(before, after)
    assert compared.diff_image == render_diff(before, after)
    assert where(compared.diff_image, RED).sum() == compared.verdict.diff_pixels == 244
    assert where(compared.diff_image, YELLOW).sum() == compared.verdict.anti_aliased_pixels == 360


def test_equal_pixels_are_faded_to_gray() -> None:
    pixels = np.zeros((3, 4, 4), np.uint8)
    pixels[0] = (0, 0, 0, 255)
    pixels[1] = (200, 30, 90, 255)
    rendered = decode(render_diff(png(pixels), png(pixels)))
    assert (rendered[:, :, 0] == rendered[:, :, 1]).all()
    assert (rendered[:, :, 0] == rendered[:, :, 2]).all()
    assert rendered[0, 0, 0] < rendered[1, 0, 0] < rendered[2, 0, 0] == 255


def test_regions_are_hatched_and_changes_in_them_are_not_red() -> None:
    before = np.full((40, 40, 4), 255, np.uint8)
    after = before.copy()
    after[5:9, 5:9] = after[30, 30] = (0, 0, 0, 255)
    options = Options(regions=(Region(0, 0, 0.5, 0.5),))
    image = render_diff(png(before), png(after), options)
    assert where(image, PURPLE)[5:9, 5:9].all()
    assert np.argwhere(where(image, RED)).tolist() == [[30, 30]]
    hatched = where(image, BLUE)
    assert hatched[:20, :20].sum() > 60
    assert not hatched[20:].any()


def test_with_different_sizes_the_image_is_the_union() -> None:
    before, after = np.full((10, 20, 4), 255, np.uint8), np.full((15, 12, 4), 255, np.uint8)
    image = render_diff(png(before), png(after))
    red = where(image, RED)
    assert red.shape == (15, 20)
    assert not red[:10, :12].any()
    assert red.sum() == 20 * 15 - 12 * 10


def test_everything_below_inserted_rows_is_red_in_the_taller_image() -> None:
    before = np.random.default_rng(1).integers(0, 256, (30, 20, 4), dtype=np.uint8)
    before[:, :, 3] = 255
    after = np.insert(before, 10, np.full((4, 20, 4), 255, np.uint8), axis=0)
    for pair in ((before, after), (after, before)):
        red = where(render_diff(*(png(pixels) for pixels in pair)), RED)
        assert red[10:14].all()
        assert red[30:].all()
        assert not red[:10].any()


def test_the_diff_image_is_a_small_png_with_a_palette() -> None:
    before = np.random.default_rng(1).integers(0, 256, (400, 600, 4), dtype=np.uint8)
    before[:, :, 3] = 255
    after = before.copy()
    after[100:200, 100:200] = 0
    data = render_diff(png(before), png(after))
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.mode, image.size) == ("PNG", "P", (600, 400))
    # Noise is the worst case, and still takes a fifth of the input.
    assert len(data) < len(png(before)) / 5
