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


@pytest.mark.parametrize("folder", ["gravity-layout", "gravity-menu"])
def test_real_screenshots_give_the_counts_of_pixelmatch(folder: str) -> None:
    expected: dict[str, list[int]] = json.loads((ORACLE / f"{folder}.json").read_text())
    before, after = shared("pairs", folder, "before"), shared("pairs", folder, "after")
    assert len(expected) > 10
    for name, six in expected.items():
        # The strict settings twice over cost most and tell least, so two of the six are enough.
        old, new = (before / name).read_bytes(), (after / name).read_bytes()
        found = [compare(old, new, Options(*SETTINGS[at])).diff_pixels for at in (2, 3)]
        assert found == six[2:4], name


@pytest.mark.parametrize(
    ("folder", "pixels", "sizes", "equal", "new", "removed"),
    [("gravity-layout", 52, 14, 60, 11, 12), ("gravity-menu", 20, 10, 40, 0, 0)],
)
def test_real_folders_hold_as_many_differences_as_their_readme_says(
    folder: str, pixels: int, sizes: int, equal: int, new: int, removed: int
) -> None:
    before, after = shared("pairs", folder, "before"), shared("pairs", folder, "after")
    old = {path.relative_to(before) for path in before.rglob("*.png")}
    fresh = {path.relative_to(after) for path in after.rglob("*.png")}
    kinds = [
        compare((before / name).read_bytes(), (after / name).read_bytes()).kind
        for name in old & fresh
    ]
    found = (kinds.count("pixels"), kinds.count("size"), kinds.count("identical"))
    assert (*found, len(fresh - old), len(old - fresh)) == (pixels, sizes, equal, new, removed)


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
