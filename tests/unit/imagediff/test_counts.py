"""The counts of the real pixelmatch 7.2, on pictures made here and on real ones."""

import json
from pathlib import Path

import pytest

from tests.unit.imagediff.pictures import pairs
from tests.unit.imagediff.png_writer import png
from tests.unit.imagediff.reference import Picture, count_differences
from tests.unit.imagediff.shared_data import shared
from visual_review.imagediff import Options, compare

ORACLE = Path(__file__).parent / "oracle"
SETTINGS = [(threshold, include) for threshold in (0.0, 0.1, 0.3) for include in (False, True)]
MADE: dict[str, list[int]] = json.loads((ORACLE / "made.json").read_text())


def counts(before: bytes, after: bytes) -> list[int]:
    return [compare(before, after, Options(*setting)).diff_pixels for setting in SETTINGS]


def as_picture(rows: list[list[list[int]]]) -> Picture:
    return [[(r, g, b, a) for r, g, b, a in row] for row in rows]


@pytest.mark.parametrize("name", MADE)
def test_made_pictures_give_the_counts_of_pixelmatch(name: str) -> None:
    before, after = pairs()[name]
    assert counts(png(before), png(after)) == MADE[name]


@pytest.mark.parametrize("name", [name for name in MADE if "97" not in name])
def test_the_reference_of_these_tests_gives_the_counts_of_pixelmatch(name: str) -> None:
    before, after = (as_picture(picture.tolist()) for picture in pairs()[name])
    assert [
        count_differences(before, after, threshold, include_anti_aliased=include)
        for threshold, include in SETTINGS
    ] == MADE[name]


@pytest.mark.parametrize(
    ("folder", "in_readme"),
    [("gravity-layout", (52, 14, 60, 11, 12)), ("gravity-menu", (20, 10, 40, 0, 0))],
)
def test_real_screenshots_give_the_counts_of_pixelmatch(
    folder: str, in_readme: tuple[int, ...]
) -> None:
    expected: dict[str, list[int]] = json.loads((ORACLE / f"{folder}.json").read_text())
    before, after = shared("pairs", folder, "before"), shared("pairs", folder, "after")
    old = {path.relative_to(before).as_posix() for path in before.rglob("*.png")}
    fresh = {path.relative_to(after).as_posix() for path in after.rglob("*.png")}
    kinds = []
    for name in sorted(old & fresh):
        pair = (before / name).read_bytes(), (after / name).read_bytes()
        verdict = compare(*pair)
        kinds.append(verdict.kind)
        if name in expected:
            # With the default threshold the two counts differ by what is anti-aliased.
            with_smooth = verdict.diff_pixels + verdict.anti_aliased_pixels
            assert [verdict.diff_pixels, with_smooth] == expected[name][2:4], name
    found = (kinds.count("pixels"), kinds.count("size"), kinds.count("identical"))
    assert (*found, len(fresh - old), len(old - fresh)) == in_readme
    assert len(expected) == in_readme[0]


def test_pixelmatch_fixtures_give_the_counts_of_its_own_tests() -> None:
    folder = shared("diff-fixtures", "pixelmatch")
    expected = json.loads((folder / "EXPECTED.json").read_text())["pairs"]
    assert len(expected) == 11
    for pair in expected:
        before, after = (
            (folder / "test" / "fixtures" / f"{pair[side]}.png").read_bytes() for side in "ab"
        )
        verdict = compare(before, after, Options(pair["options"].get("threshold", 0.1)))
        assert verdict.diff_pixels == pair["v7_1_0_to_7_2_0"], pair
