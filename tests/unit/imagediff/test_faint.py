"""Areas with differences below the threshold: faint changes, and noise."""

import random
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from tests.support.case import Case
from tests.support.depth import rounds, seed
from tests.support.imagediff.defects import read_pixels, write_png
from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.faint_defects import DEFECTS, plant_faint_defect
from tests.support.imagediff.random_pairs import make_pair
from tests.support.imagediff.shared_data import real_change, sample
from visual_review.imagediff import DEFAULT_LIMITS, DEFAULT_OPTIONS, Box, Options, Region
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.port import NO_FAINT_AREAS, FaintAreas, Marks, describe_areas

Pixels = npt.NDArray[np.uint8]
Change = Callable[[Pixels], None]

WIDTH, HEIGHT = 240, 180
FAINT = 4
WHITE, TEAL = 255, (0, 134, 122)


def page(color: int = WHITE) -> Pixels:
    pixels = np.full((HEIGHT, WIDTH, 4), color, np.uint8)
    pixels[:, :, 3] = WHITE
    return pixels


def shade(box: Box, value: int) -> Change:
    def change(pixels: Pixels) -> None:
        pixels[box.y : box.y + box.height, box.x : box.x + box.width, :3] = value

    return change


def outline(box: Box, value: int) -> Change:
    def change(pixels: Pixels) -> None:
        inner = pixels[box.y + 1 : box.y + box.height - 1, box.x + 1 : box.x + box.width - 1].copy()
        shade(box, value)(pixels)
        pixels[box.y + 1 : box.y + box.height - 1, box.x + 1 : box.x + box.width - 1] = inner

    return change


def scatter(pixels: Pixels) -> None:
    """Lighten and darken pixels at random, as noise does."""
    rng = np.random.default_rng(1)
    chosen = rng.random((HEIGHT, WIDTH)) < 0.2
    pixels[chosen, :3] = rng.integers(200, 241, (int(chosen.sum()), 1))


def dot_grid(pixels: Pixels) -> None:
    pixels[4::16, 4::16, :3] = 235


CARD = Box(40, 50, 120, 80)
FOUND: Mapping[str, tuple[Change, Box]] = {
    "a card": (shade(CARD, 245), CARD),
    "a pale card": (shade(CARD, 252), CARD),
    "a border": (outline(CARD, 240), CARD),
    "a line across": (shade(Box(10, 20, 220, 1), 240), Box(10, 20, 220, 1)),
    "a line down": (shade(Box(10, 20, 1, 150), 240), Box(10, 20, 1, 150)),
    "the whole page": (shade(Box(0, 0, WIDTH, HEIGHT), 244), Box(0, 0, WIDTH, HEIGHT)),
}
NOISE: Mapping[str, Change] = {
    "nothing": lambda _: None,
    "rounding everywhere": shade(Box(0, 0, WIDTH, HEIGHT), 253),
    "a border of nearly the same color": outline(CARD, 249),
    "single pixels": dot_grid,
    "a short line": shade(Box(10, 20, 12, 1), 235),
}


def find_all(
    before: bytes, after: bytes, options: Options = DEFAULT_OPTIONS
) -> list[tuple[str, Marks, FaintAreas]]:
    found = []
    for engine in available_engines():
        marks = engine.mark(before, after, options, DEFAULT_LIMITS)
        found.append((engine.name, marks, marks.pair.find_faint()))
    return found


def change_page(*changes: Change, color: int = WHITE) -> tuple[bytes, bytes]:
    after = page(color)
    for change in changes:
        change(after)
    return write_png(page(color)), write_png(after)


def test_coherent_areas_are_found_though_no_pixel_is_different(case: Case) -> None:
    for name, (change, box) in FOUND.items():
        before, after = change_page(change)
        for pair in ((before, after), (after, before)):
            for engine, marks, faint in find_all(*pair):
                with case(f"{name}, {engine}"):
                    assert marks.counts.different == 0
                    assert faint.boxes == (box,)
                    assert faint.is_large


def test_noise_is_no_faint_area(case: Case) -> None:
    pages = {name: change_page(change) for name, change in NOISE.items()}
    pages["scattered pixels"] = change_page(scatter, color=220)
    for name, pair in pages.items():
        for engine, _, faint in find_all(*pair):
            with case(f"{name}, {engine}"):
                assert faint == NO_FAINT_AREAS


def test_an_area_is_large_beyond_24_pixels_a_side_or_a_share_of_the_image(case: Case) -> None:
    # 0.05 % of these pages are 164.6 and 648 pixels.
    phone, desktop = (390, 844), (1440, 900)
    for box, size, is_large in (
        (Box(0, 0, 12, 13), phone, False),
        (Box(0, 0, 17, 10), phone, True),
        (Box(0, 0, 24, 24), desktop, False),
        (Box(0, 0, 24, 25), desktop, True),
    ):
        with case(f"{box} of {size}"):
            assert describe_areas(16, (Box(5, 5, 1, 1), box), size).is_large == is_large


def test_a_faint_area_is_found_next_to_a_change_and_counted_apart() -> None:
    change = Box(60, 60, 20, 20)
    for engine, marks, faint in find_all(*change_page(shade(CARD, 245), shade(change, 0))):
        assert marks.counts.different == change.width * change.height, engine
        assert faint.pixels == CARD.width * CARD.height - marks.counts.different, engine
        assert faint.boxes == (CARD,), engine


def test_faint_areas_in_dynamic_regions_are_not_found() -> None:
    left = Options(regions=(Region(0, 0, 1 / 3, 1),))
    whole = Options(regions=(Region(0, 0, 1, 1),))
    before, after = change_page(shade(CARD, 245))
    for engine, _, faint in find_all(before, after, left):
        assert faint.boxes == (Box(80, 50, 80, 80),), engine
    for engine, _, faint in find_all(before, after, whole):
        assert faint.boxes == (), engine


def number(text: str, size: int) -> bytes:
    image = Image.new("RGBA", (WIDTH, HEIGHT), "white")
    font = ImageFont.load_default(size)
    ImageDraw.Draw(image).text((20, 20), text, "#1d2433", font)
    return write_png(np.asarray(image))


def test_a_decimal_comma_is_found_though_all_of_it_passes_as_anti_aliased(case: Case) -> None:
    silent = 0
    for size in range(11, 20):
        before, after = number("1,024.00", size), number("1.024,00", size)
        for pair in ((before, after), (after, before)):
            found = find_all(*pair)
            assert len({faint for _, _, faint in found}) == 1
            assert len({bytes(marks.mask) for _, marks, _ in found}) == 1
            _, marks, faint = found[0]
            if marks.counts.different:
                continue
            silent += 1
            with case(size):
                assert marks.counts.anti_aliased
                assert faint.strokes
                assert faint.is_large
                analysis = analyze(marks)
                assert (analysis.kind, analysis.is_faintly_changed) == ("text", True)
    assert silent >= 2


def test_a_line_is_large_from_32_pixels_on(case: Case) -> None:
    for box, is_large in (
        (Box(0, 0, 32, 1), True),
        (Box(0, 0, 3, 32), True),
        (Box(0, 0, 31, 3), False),
        (Box(0, 0, 64, 4), False),
    ):
        with case(box):
            assert describe_areas(40, (box,), (1440, 900)).is_large == is_large


def test_paler_text_is_found_and_text_with_other_edges_is_not() -> None:
    rng = np.random.default_rng(3)
    cover = np.zeros((HEIGHT, WIDTH))
    # Strokes with soft sides, like the strokes of letters.
    for x in range(20, 200, 6):
        cover[40:52, x] = 1
        cover[40:52, x - 1], cover[40:52, x + 1] = rng.random((2, 12)) * 0.8
    before, paler, moved = page(), page(), page()
    for image, color, strength in ((before, 120, cover), (paler, 144, cover)):
        image[:, :, :3] = np.round(WHITE - (WHITE - color) * strength)[:, :, None]
    soft = np.where((cover > 0) & (cover < 1), np.clip(cover + 0.15, 0, 0.95), cover)
    moved[:, :, :3] = np.round(WHITE - (WHITE - 120) * soft)[:, :, None]
    for engine, marks, faint in find_all(write_png(before), write_png(paler)):
        assert (marks.counts.different, faint.is_large) == (0, True), engine
    for engine, _, faint in find_all(write_png(before), write_png(moved)):
        assert not faint.is_large, engine


def test_faint_areas_are_teal_in_the_diff_image() -> None:
    before, after = change_page(shade(CARD, 245), shade(Box(60, 60, 5, 5), 0))
    for engine in available_engines():
        drawn = engine.mark(before, after, DEFAULT_OPTIONS, DEFAULT_LIMITS).pair.draw()
        colors = read_pixels(drawn)[:, :, :3]
        teal = (colors == TEAL).all(axis=2)
        assert np.count_nonzero(teal) == CARD.width * CARD.height - 25, engine.name
        assert tuple(colors[62, 62]) == (255, 0, 0), engine.name


@given(st.integers(0, 10**9), st.lists(st.tuples(*[st.floats(0, 1)] * 4), max_size=2))
@settings(max_examples=rounds(30, 1500))
def test_both_engines_find_the_same_in_random_pairs(
    number: int, regions: list[tuple[float, float, float, float]]
) -> None:
    pair = make_pair(random.Random(number), 60)
    options = Options(0.3, regions=tuple(Region(*region) for region in regions))
    results = find_all(pair.before, pair.after, options)
    assert len({faint for _, _, faint in results}) == 1
    assert len({bytes(marks.mask) for _, marks, _ in results}) == 1
    assert len({marks.pair.draw() for _, marks, _ in results}) == 1
    for _, marks, faint in results:
        assert faint.pixels == bytes(marks.mask).count(FAINT)
        assert faint.pixels <= marks.counts.slight + marks.counts.anti_aliased
        flags = np.frombuffer(marks.mask, np.uint8).reshape(marks.height, marks.width) == FAINT
        for box in (*faint.boxes, *faint.strokes):
            flags[box.y : box.y + box.height, box.x : box.x + box.width] = False
        assert not flags.any()


@pytest.mark.search
def test_both_engines_find_the_same_in_real_pairs_with_planted_defects() -> None:
    rng = random.Random(seed())
    pairs = real_change("gravity-menu").of_kind("pixels")
    for real in sample(pairs, rounds(1, 20)):
        assert len({faint for _, _, faint in find_all(real.before, real.after)}) == 1, real.name
        kind = rng.choice(list(DEFECTS))
        defect = plant_faint_defect(read_pixels(real.before), kind, seed())
        if defect is not None:
            results = find_all(defect.before, defect.after)
            assert len({faint for _, _, faint in results}) == 1, (real.name, kind)
