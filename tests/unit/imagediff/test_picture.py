"""The picture of a difference: its size, its colours, and that it is small."""

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from tests.support.imagediff.images import pairs
from tests.support.imagediff.png_writer import png
from visual_review.imagediff import (
    Options,
    Region,
    compare,
    compare_and_draw,
    decode,
    diff_image,
)

RED = (255, 0, 0)
YELLOW = (255, 210, 0)
BLUE = (120, 160, 255)
PURPLE = (190, 90, 190)


def where(picture: bytes, color: tuple[int, int, int]) -> npt.NDArray[np.bool_]:
    flags: npt.NDArray[np.bool_] = (decode(picture)[:, :, :3] == color).all(axis=2)
    return flags


def test_changed_pixels_are_red_and_anti_aliased_ones_yellow() -> None:
    before, after = (png(pixels) for pixels in pairs()["disc moved by three pixels"])
    compared = compare_and_draw(before, after, Options())
    assert compared.verdict == compare(before, after)
    assert compared.picture == diff_image(before, after)
    assert where(compared.picture, RED).sum() == compared.verdict.diff_pixels == 244
    assert where(compared.picture, YELLOW).sum() == compared.verdict.anti_aliased_pixels == 360


def test_what_is_equal_is_faded_grey() -> None:
    pixels = np.zeros((3, 4, 4), np.uint8)
    pixels[0] = (0, 0, 0, 255)
    pixels[1] = (200, 30, 90, 255)
    drawn = decode(diff_image(png(pixels), png(pixels)))
    assert (drawn[:, :, 0] == drawn[:, :, 1]).all()
    assert (drawn[:, :, 0] == drawn[:, :, 2]).all()
    assert drawn[0, 0, 0] < drawn[1, 0, 0] < drawn[2, 0, 0] == 255


def test_regions_are_hatched_and_changes_in_them_are_not_red() -> None:
    before = np.full((40, 40, 4), 255, np.uint8)
    after = before.copy()
    after[5:9, 5:9] = after[30, 30] = (0, 0, 0, 255)
    options = Options(regions=(Region(0, 0, 0.5, 0.5),))
    picture = diff_image(png(before), png(after), options)
    assert where(picture, PURPLE)[5:9, 5:9].all()
    assert np.argwhere(where(picture, RED)).tolist() == [[30, 30]]
    hatched = where(picture, BLUE)
    assert hatched[:20, :20].sum() > 60
    assert not hatched[20:].any()


def test_of_different_sizes_the_picture_is_the_union() -> None:
    before, after = np.full((10, 20, 4), 255, np.uint8), np.full((15, 12, 4), 255, np.uint8)
    picture = diff_image(png(before), png(after))
    red = where(picture, RED)
    assert red.shape == (15, 20)
    assert not red[:10, :12].any()
    assert red.sum() == 20 * 15 - 12 * 10


def test_inserted_rows_are_red_within_the_taller_picture() -> None:
    before = np.random.default_rng(1).integers(0, 256, (30, 20, 4), dtype=np.uint8)
    before[:, :, 3] = 255
    after = np.insert(before, 10, np.full((4, 20, 4), 255, np.uint8), axis=0)
    for pair in ((before, after), (after, before)):
        red = where(diff_image(*(png(pixels) for pixels in pair)), RED)
        assert red[10:14].all()
        assert red.sum() == 80


def test_the_picture_is_a_small_png_with_a_palette() -> None:
    before = np.random.default_rng(1).integers(0, 256, (400, 600, 4), dtype=np.uint8)
    before[:, :, 3] = 255
    after = before.copy()
    after[100:200, 100:200] = 0
    picture = diff_image(png(before), png(after))
    image = Image.open(io.BytesIO(picture))
    assert (image.format, image.mode, image.size) == ("PNG", "P", (600, 400))
    # Noise is the worst case; it still takes a fifth of the input.
    assert len(picture) < len(png(before)) / 5
