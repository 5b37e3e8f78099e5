"""Thresholds of a difference, and areas in pixels and percent."""

from dataclasses import replace

import pytest

from tests.support.case import Case
from visual_review.client.comparing.errors import InputError
from visual_review.client.comparing.settings import Settings, parse_fail_on, parse_ignored_area
from visual_review.imagediff import Verdict
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Analysis
from visual_review.imagediff.rectangles import find_rectangle

COMPARED = 1000


def make_verdict(differing: int) -> Verdict:
    return Verdict(
        equal=differing == 0,
        diff_pixels=differing,
        diff_ratio=differing / COMPARED,
        width=100,
        height=10,
        reason="pixels" if differing else "below_threshold",
    )


def make_faint(pixels: int, *, is_large: bool = False) -> Analysis:
    return replace(NOTHING_CHANGED, faint_pixels=pixels, is_faintly_changed=is_large)


def tolerates(settings: Settings, differing: int, analysis: Analysis = NOTHING_CHANGED) -> bool:
    return settings.tolerates(make_verdict(differing), analysis, COMPARED)


def ignored_pixels(text: str, width: int, height: int) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom of the part ignored by the engines."""
    region = parse_ignored_area(text).region(width, height)
    if region is None:
        return None
    found = find_rectangle(region, (width, height))
    return found.left, found.top, found.right, found.bottom


def test_an_area_is_in_pixels_or_percent(case: Case) -> None:
    cases = {
        "0,0,200,48": (0, 0, 200, 48),
        "10,20,30,40": (10, 20, 40, 60),
        "0%,0%,100%,5%": (0, 0, 1440, 45),
        "50%, 0, 1, 1": (720, 0, 721, 1),
        "1400,890,500,500": (1400, 890, 1440, 900),
        "0.5,0,1,1": (0, 0, 2, 1),
        "1440,0,10,10": None,
        "0,0,0,10": None,
    }
    for text, expected in cases.items():
        with case(text):
            assert ignored_pixels(text, 1440, 900) == expected


def test_areas_in_pixels_are_exact_for_every_size() -> None:
    for width in (1, 2, 3, 7, 999, 1280, 1441, 32_767):
        for x in {0, width // 3, width - 1}:
            assert ignored_pixels(f"{x},0,1,1", width, width) == (x, 0, x + 1, 1)


@pytest.mark.parametrize("text", ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "-1,0,1,1", "1e3,0,1,1"])
def test_other_areas_are_errors_that_show_what_is_right(text: str) -> None:
    with pytest.raises(InputError, match="not x,y,width,height; give pixels such as 0,0,200,48"):
        parse_ignored_area(text)


def test_states_to_fail_on_are_a_list_or_none() -> None:
    assert parse_fail_on("changed,removed") == {"changed", "removed"}
    assert parse_fail_on(" none ") == frozenset()
    for text in ("", "failed", "changed,none"):
        with pytest.raises(InputError, match="give some of changed,new,removed, or none"):
            parse_fail_on(text)


def test_few_differing_pixels_are_tolerated_by_number_or_share() -> None:
    assert not tolerates(Settings(), differing=10)
    assert tolerates(Settings(max_diff_pixels=10), differing=10)
    assert not tolerates(Settings(max_diff_pixels=9), differing=10)
    assert tolerates(Settings(max_diff_pixel_ratio=0.01), differing=10)
    assert tolerates(Settings(max_diff_pixel_ratio=0.029), differing=29)


def test_a_faint_change_counts_with_its_pixels_where_faint_changes_count() -> None:
    verdict, large, small = make_verdict(0), make_faint(600, is_large=True), make_faint(9)
    assert Settings(faint=True).differs(verdict, large)
    assert not Settings(faint=True).differs(verdict, small)
    assert not Settings(faint=False).differs(verdict, large)
    assert tolerates(Settings(max_diff_pixels=610, faint=True), 10, large)
    assert not tolerates(Settings(max_diff_pixels=609, faint=True), 10, large)
    assert tolerates(Settings(max_diff_pixels=10, faint=True), 10, small)
    assert tolerates(Settings(max_diff_pixels=10, faint=False), 10, large)


def test_the_settings_are_described_in_one_line() -> None:
    settings = Settings(
        0.2, faint=True, ignored=(parse_ignored_area("0,0,100%,48"),), max_diff_pixels=5
    )
    assert settings.describe() == (
        "threshold 0.2, anti-aliased pixels ignored, faint changes count, "
        "area 0,0,100%,48 ignored, "
        "up to 5 pixels may differ"
    )
