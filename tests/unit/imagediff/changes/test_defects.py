"""The defects that tests of groups, kinds and faint changes plant."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.support.imagediff.defects import DEFECT_KINDS, DefectKind, plant_defect, read_pixels
from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.elements import cut, find_elements
from visual_review.imagediff.model import Box


@pytest.fixture(scope="module")
def page() -> bytes:
    image = Image.new("RGBA", (400, 200), (255, 255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 20, 180, 120), (58, 54, 58, 255))
    draw.text((30, 30), "a card with text", (220, 220, 220, 255))
    draw.rectangle((210, 30, 250, 60), (82, 130, 255, 255))
    draw.text((30, 150), "text on the page", (30, 30, 30, 255))
    return encode(np.asarray(image))


def test_finds_cards_and_what_is_inside_them(page: bytes) -> None:
    boxes = [element.box for element in find_elements(read_pixels(page))]
    assert Box(20, 20, 161, 101) in boxes
    assert Box(210, 30, 41, 31) in boxes
    assert any(box.x >= 28 and box.y >= 28 and box.height < 16 for box in boxes)


@pytest.mark.parametrize("kind", DEFECT_KINDS)
def test_a_defect_changes_pixels_of_its_box_alone(page: bytes, kind: DefectKind) -> None:
    before = read_pixels(page)
    for seed in range(6):
        defect = plant_defect(page, kind, seed)
        assert defect is not None
        after = read_pixels(defect.png)
        assert not np.array_equal(cut(before, defect.box), cut(after, defect.box))
        cut(after, defect.box)[:] = cut(before, defect.box)
        assert np.array_equal(before, after)


def test_the_same_seed_plants_the_same_defect(page: bytes) -> None:
    one, two = (plant_defect(page, "torn", "seed", [Box(30, 30, 9, 9)]) for _ in range(2))
    assert one is not None
    assert one == two


def test_an_empty_image_has_nothing_that_could_vanish() -> None:
    blank = encode(np.full((40, 40, 4), 255, np.uint8))
    assert plant_defect(blank, "vanished", 1) is None
