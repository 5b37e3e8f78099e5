"""The counts of the real pixelmatch 7.2, on generated images and on real ones."""

import json
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.depth import rounds
from tests.support.imagediff.images import pairs
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.reference import PixelRows, count_differences
from tests.support.imagediff.shared_data import real_change, sample, shared
from visual_review.imagediff import Options, compare

ORACLE = Path(__file__).parent / "oracle"
SETTINGS = [(threshold, include) for threshold in (0.0, 0.1, 0.3) for include in (False, True)]
MADE: dict[str, list[int]] = json.loads((ORACLE / "made.json").read_text())


def counts(before: bytes, after: bytes) -> list[int]:
    return [compare(before, after, Options(*setting)).diff_pixels for setting in SETTINGS]


def as_rows(rows: list[list[list[int]]]) -> PixelRows:
    return [[(r, g, b, a) for r, g, b, a in row] for row in rows]


def test_generated_images_give_the_counts_of_pixelmatch(case: Case) -> None:
    images = pairs()
    assert set(images) == set(MADE)
    for name, expected in MADE.items():
        with case(name):
            before, after = images[name]
            assert counts(png(before), png(after)) == expected


def test_the_reference_of_these_tests_gives_the_counts_of_pixelmatch(case: Case) -> None:
    images = pairs()
    for name in (name for name in MADE if "97" not in name):
        with case(name):
            before, after = (as_rows(image.tolist()) for image in images[name])
            assert [
                count_differences(before, after, threshold, include_anti_aliased=include)
                for threshold, include in SETTINGS
            ] == MADE[name]


@pytest.mark.search
@pytest.mark.parametrize(
    ("folder", "in_readme"),
    [("gravity-layout", (52, 14, 60, 11, 12)), ("gravity-menu", (20, 10, 40, 0, 0))],
)
def test_real_screenshots_give_the_counts_of_pixelmatch(
    folder: str, in_readme: tuple[int, ...]
) -> None:
    expected: dict[str, list[int]] = json.loads((ORACLE / f"{folder}.json").read_text())
    change = real_change(folder)
    by_kind = [change.of_kind(kind) for kind in ("pixels", "size", "identical")]
    assert (*map(len, by_kind), change.new, change.removed) == in_readme
    assert {pair.name for pair in by_kind[0]} == set(expected)
    different, resized, identical = by_kind
    for pair in (*sample(different, rounds(5, 100)), *sample(resized, rounds(2, 100)), *identical):
        verdict = compare(pair.before, pair.after)
        assert verdict.kind == pair.kind, pair.name
        if pair.name in expected:
            # With the default threshold the two counts differ by what is anti-aliased.
            with_smooth = verdict.diff_pixels + verdict.anti_aliased_pixels
            assert [verdict.diff_pixels, with_smooth] == expected[pair.name][2:4], pair.name


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
