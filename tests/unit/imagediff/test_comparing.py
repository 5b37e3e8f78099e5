"""The verdict: rules for all images, and examples of each kind."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.depth import rounds
from tests.support.imagediff.images import Pair, Pixels, image_pairs
from tests.support.imagediff.pixelmatch import DIFFERENT, as_rows, mark_differences
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.shared_data import shared
from visual_review.imagediff import (
    DEFAULT_LIMITS,
    Box,
    BrokenImageError,
    Options,
    Region,
    compare,
)
from visual_review.imagediff.engine import engine

pytestmark = pytest.mark.usefixtures("each_engine")

EVERYTHING = Region(0, 0, 1, 1)


def white(height: int, width: int) -> Pixels:
    return np.full((height, width, 4), 255, np.uint8)


@given(image_pairs(), st.sampled_from((0.0, 0.02, 0.1, 0.5)), st.booleans())
@settings(max_examples=rounds(40, 300))
def test_counts_equal_those_of_the_reference(
    pair: Pair,
    threshold: float,
    include: bool,  # noqa: FBT001 - Drawn by hypothesis.
) -> None:
    before, after = pair
    verdict = compare(png(before), png(after), Options(threshold, include))
    mask = mark_differences(
        as_rows(before), as_rows(after), threshold, include_anti_aliased=include
    )
    expected = mask.count(DIFFERENT)
    assert verdict.diff_pixels == expected
    assert verdict.equal == (expected == 0)
    assert verdict.diff_ratio == expected / (before.size / 4)


@given(image_pairs())
@settings(max_examples=rounds(15, 80))
def test_counts_do_not_depend_on_the_order_of_the_images(pair: Pair) -> None:
    before, after = png(pair[0]), png(pair[1])
    for include in (False, True):
        options = Options(include_anti_aliased=include)
        assert compare(before, after, options) == compare(after, before, options)


@given(image_pairs())
@settings(max_examples=rounds(15, 80))
def test_detecting_anti_aliasing_only_ever_lowers_the_count(pair: Pair) -> None:
    before, after = png(pair[0]), png(pair[1])
    found = compare(before, after)
    every = compare(before, after, Options(include_anti_aliased=True))
    assert found.diff_pixels + found.anti_aliased_pixels == every.diff_pixels


@given(image_pairs(), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=rounds(15, 80))
def test_a_higher_threshold_never_finds_more(pair: Pair, one: float, two: float) -> None:
    low, high = sorted((one, two))
    before, after = png(pair[0]), png(pair[1])
    strict, loose = (
        compare(before, after, Options(threshold, include_anti_aliased=True)).diff_pixels
        for threshold in (low, high)
    )
    assert strict >= loose


@given(image_pairs())
@settings(max_examples=rounds(12, 60))
def test_a_region_over_everything_leaves_nothing_to_differ(pair: Pair) -> None:
    before, after = png(pair[0]), png(pair[1])
    verdict = compare(before, after, Options(0, regions=(EVERYTHING,)))
    assert (verdict.equal, verdict.diff_pixels, verdict.diff_ratio) == (True, 0, 0.0)
    assert verdict.boxes == ()
    plain = compare(before, after, Options(0))
    assert verdict.only_in_regions == (plain.diff_pixels > 0)
    assert verdict.region_diff_pixels == plain.diff_pixels


@given(image_pairs(), st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=1, max_size=4))
@settings(max_examples=rounds(20, 100))
def test_regions_split_the_differences_into_inside_and_outside(
    pair: Pair, rectangles: list[tuple[float, float, float, float]]
) -> None:
    before, after = png(pair[0]), png(pair[1])
    regions = tuple(Region(*rectangle) for rectangle in rectangles)
    plain = compare(before, after)
    split = compare(before, after, Options(regions=regions))
    assert split.diff_pixels + split.region_diff_pixels == plain.diff_pixels
    assert 0 <= split.diff_ratio <= 1
    assert split.only_in_regions == (plain.diff_pixels > 0 and split.diff_pixels == 0)


@given(image_pairs(side=40))
@settings(max_examples=rounds(15, 80))
def test_boxes_contain_every_difference_and_never_overlap(pair: Pair) -> None:
    options = Options(0, include_anti_aliased=True)
    verdict = compare(png(pair[0]), png(pair[1]), options)
    covered = np.zeros(pair[0].shape[:2], int)
    for box in verdict.boxes:
        covered[box.y : box.y + box.height, box.x : box.x + box.width] += 1
    unequal = (pair[0] != pair[1]).any(axis=2)
    marks = engine().mark(png(pair[0]), png(pair[1]), options, DEFAULT_LIMITS)
    differing = np.frombuffer(marks.mask, np.uint8).reshape(covered.shape) == DIFFERENT
    assert covered.max() <= 1
    assert (covered[differing] == 1).all()
    assert not differing[~unequal].any()


def test_equal_bytes_are_equal_without_being_decoded() -> None:
    header_alone = png(white(2, 2))[:60]
    verdict = compare(header_alone, header_alone)
    assert (verdict.equal, verdict.reason, verdict.width, verdict.height) == (
        True,
        "identical",
        2,
        2,
    )
    with pytest.raises(BrokenImageError):
        compare(header_alone, png(white(2, 2)))


def test_a_color_just_below_the_threshold_is_not_a_difference() -> None:
    after = white(4, 4)
    after[1, 1] = (250, 250, 250, 255)
    verdict = compare(png(white(4, 4)), png(after))
    assert (verdict.equal, verdict.reason, verdict.diff_pixels) == (True, "below_threshold", 0)
    assert compare(png(white(4, 4)), png(after), Options(0)).reason == "pixels"


def test_a_changed_slope_between_two_flats_counts_as_anti_aliased() -> None:
    before = white(8, 8)
    before[:, 4:] = (0, 0, 0, 255)
    after = before.copy()
    after[3, 4] = (128, 128, 128, 255)
    verdict = compare(png(before), png(after))
    assert (verdict.equal, verdict.reason, verdict.anti_aliased_pixels) == (True, "anti_aliased", 1)
    strict = compare(png(before), png(after), Options(include_anti_aliased=True))
    assert (strict.reason, strict.diff_pixels) == ("pixels", 1)


def test_only_differences_outside_regions_are_counted_and_boxed() -> None:
    after = white(10, 10)
    after[2:4, 2:4] = after[7:9, 6:9] = (255, 0, 0, 255)
    both = Options(regions=(Region(0.2, 0.2, 0.2, 0.2), Region(0.6, 0.7, 0.3, 0.2)))
    one = Options(regions=(Region(0.2, 0.2, 0.2, 0.2),))
    covered = compare(png(white(10, 10)), png(after), both)
    assert (covered.equal, covered.reason, covered.region_diff_pixels) == (True, "regions", 10)
    rest = compare(png(white(10, 10)), png(after), one)
    assert (rest.diff_pixels, rest.region_diff_pixels, rest.diff_ratio) == (6, 4, 6 / 96)
    assert rest.boxes == (Box(6, 7, 3, 2),)
    assert not rest.only_in_regions


COVERED = [
    (Region(0.1, 0.2, 0.2, 0.1), 2),
    (Region(0.15, 0.2, 0.1, 0.1), 2),
    (Region(0.9, 0.9, 1, 1), 1),
    (Region(1, 1, 1, 1), 0),
    (Region(0.5, 0, 0, 1), 0),
    (EVERYTHING, 100),
]


def test_a_region_covers_every_pixel_it_touches(case: Case) -> None:
    black = white(10, 10) // np.array([255, 255, 255, 1], np.uint8)
    for region, pixels in COVERED:
        with case(region):
            verdict = compare(png(white(10, 10)), png(black), Options(0, regions=(region,)))
            assert verdict.region_diff_pixels == pixels


def test_with_different_sizes_everything_that_one_lacks_differs() -> None:
    verdict = compare(png(white(10, 20)), png(white(15, 12)))
    assert (verdict.equal, verdict.reason) == (False, "size")
    assert (verdict.width, verdict.height) == (20, 15)
    assert verdict.diff_pixels == 20 * 15 - 12 * 10
    assert verdict.diff_ratio == verdict.diff_pixels / (20 * 15)


def test_a_region_over_everything_added_makes_a_change_of_size_equal() -> None:
    before = np.random.default_rng(1).integers(0, 256, (10, 10, 4), dtype=np.uint8)
    after = np.concatenate([before, white(10, 10)], axis=1)
    verdict = compare(png(before), png(after), Options(regions=(Region(0.5, 0, 0.5, 1),)))
    assert (verdict.equal, verdict.only_in_regions, verdict.reason) == (True, True, "regions")


def test_scattered_differences_make_few_boxes() -> None:
    after = white(800, 800)
    after[::40, ::40] = (0, 0, 0, 255)
    verdict = compare(png(white(800, 800)), png(after), Options(include_anti_aliased=True))
    assert verdict.diff_pixels == 400
    assert 1 <= len(verdict.boxes) <= 50


def test_distant_differences_have_boxes_of_their_own_from_top_to_bottom() -> None:
    after = white(300, 300)
    after[200:210, 10:15] = after[20:22, 250:260] = (0, 0, 0, 255)
    verdict = compare(png(white(300, 300)), png(after))
    assert verdict.boxes == (Box(250, 20, 10, 2), Box(10, 200, 5, 10))


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_fractions_outside_0_to_1_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        Options(value)
    with pytest.raises(ValueError, match="region width"):
        Region(0, 0, value, 1)


# odiff blends transparent pixels with white and scales its threshold differently, so its counts for
# the half-transparent images (orange, the logo) differ from pixelmatch's.
ODIFF_AGREES = {
    "test/aa/antialiasing-off.png": 38,
    "test/aa/antialiasing-off-small.png": 417,
    "test/png/purple8x8.png": 64,
    "test/png/extreme-alpha-1.png": 0,
}


def test_odiff_fixtures_give_its_counts_where_its_rule_is_ours() -> None:
    folder = shared("diff-fixtures", "odiff")
    found = {}
    for pair in json.loads((folder / "EXPECTED.json").read_text())["pairs"]:
        if pair["b"] in ODIFF_AGREES:
            before, after = ((folder / pair[side]).read_bytes() for side in "ab")
            options = Options(include_anti_aliased=not pair["options"].get("antialiasing"))
            found[pair["b"]] = compare(before, after, options).diff_pixels
            assert found[pair["b"]] == pair["count"]
    assert found == ODIFF_AGREES


def test_odiff_regions_cover_its_orange_differences() -> None:
    folder = shared("diff-fixtures", "odiff", "test", "png")
    regions = (
        Region(150 / 510, 30 / 234, 160 / 510, 75 / 234),
        Region(20 / 510, 175 / 234, 85 / 510, 25 / 234),
    )
    before, after = ((folder / f"{name}.png").read_bytes() for name in ("orange", "orange_changed"))
    assert compare(before, after, Options(regions=regions)).only_in_regions
