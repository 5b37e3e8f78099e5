"""The defects that ``bench-agent`` plants: visible, repeatable, and each of its own kind."""

import io

import numpy as np
from benchmarks.agent.defects import CLEAR, DEFECTS, FEWEST_PIXELS, plant
from benchmarks.agent.redesign import draw_page
from PIL import Image

from tests.support.case import Case
from tests.support.imagediff.defects import read_pixels


def page() -> bytes:
    stream = io.BytesIO()
    draw_page(7, "light", "desktop").save(stream, "PNG")
    return stream.getvalue()


def test_every_kind_is_visible_and_within_its_box(case: Case) -> None:
    png = page()
    before = read_pixels(png)
    for kind in DEFECTS:
        with case(kind):
            defect = plant(png, kind, 1)
            assert defect is not None
            after = read_pixels(defect.png)
            apart = np.abs(after.astype(np.int16) - before).max(axis=2)
            assert np.count_nonzero(apart > CLEAR) >= FEWEST_PIXELS
            box = defect.box
            apart[box.y : box.y + box.height, box.x : box.x + box.width] = 0
            assert not apart.any()
            assert plant(png, kind, 1) == defect


def test_a_page_without_elements_has_no_defect() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (80, 60), "white").save(stream, "PNG")
    assert plant(stream.getvalue(), "missing element", 1) is None
