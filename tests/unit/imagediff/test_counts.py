"""The counts and masks of the real pixelmatch 7.2, on generated images and on real ones."""

import json
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.depth import rounds, some_of
from tests.support.imagediff.images import pairs
from tests.support.imagediff.pixelmatch import SETTINGS, Answer, answer_by
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.shared_data import real_change, sample, shared, suite_pairs
from visual_review.imagediff import Options, compare
from visual_review.imagediff.engine import engine

pytestmark = pytest.mark.usefixtures("each_engine")

ORACLE = Path(__file__).parent / "oracle"
DEFAULT = slice(2, 4)


def expected_answers(name: str) -> dict[str, list[Answer]]:
    answers: dict[str, list[Answer]] = json.loads((ORACLE / f"{name}.json").read_text())
    return answers


def test_generated_images_give_the_counts_and_masks_of_pixelmatch(case: Case) -> None:
    images, expected = pairs(), expected_answers("made")
    assert set(images) == set(expected)
    for name, answers in expected.items():
        with case(name):
            before, after = images[name]
            assert answer_by(engine(), png(before), png(after)) == answers


def test_images_of_every_form_give_the_counts_and_masks_of_pixelmatch(case: Case) -> None:
    found = suite_pairs(shared("pngsuite", "suite"))
    expected = expected_answers("pngsuite-pairs")
    assert {f"{one.name} {two.name}" for one, two in found} == set(expected)
    for one, two in some_of(found, rounds(40, len(found))):
        name = f"{one.name} {two.name}"
        with case(name):
            assert answer_by(engine(), one.read_bytes(), two.read_bytes()) == expected[name]


@pytest.mark.search
@pytest.mark.parametrize(
    ("folder", "in_readme"),
    [("gravity-layout", (52, 14, 60, 11, 12)), ("gravity-menu", (20, 10, 40, 0, 0))],
)
def test_real_screenshots_give_the_counts_and_masks_of_pixelmatch(
    folder: str, in_readme: tuple[int, ...]
) -> None:
    expected = expected_answers(folder)
    change = real_change(folder)
    by_kind = [change.of_kind(kind) for kind in ("pixels", "size", "identical")]
    assert (*map(len, by_kind), change.new, change.removed) == in_readme
    assert {pair.name for pair in by_kind[0]} == set(expected)
    different, resized, identical = by_kind
    settings = rounds(DEFAULT, slice(None))
    for pair in sample(different, rounds(5, 100)):
        answers = answer_by(engine(), pair.before, pair.after, SETTINGS[settings])
        assert answers == expected[pair.name][settings], pair.name
    for pair in (*sample(resized, rounds(2, 100)), *identical):
        assert compare(pair.before, pair.after).reason == pair.kind, pair.name


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
