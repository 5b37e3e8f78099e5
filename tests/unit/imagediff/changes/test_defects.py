"""The defects planted in tests of groups, kinds and faint changes."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.support.depth import rounds, seed
from tests.support.imagediff.defects import (
    DEFECT_KINDS,
    Defect,
    DefectKind,
    plant_defect,
    read_pixels,
)
from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.elements import cut, find_elements
from tests.support.imagediff.shared_data import RealPair, real_change, sample
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.boxes import overlap
from visual_review.imagediff.changes.model import Analysis, ChangeKind
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
    for number in range(6):
        defect = plant_defect(page, kind, number)
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


# True kinds of a defect; all else is a false sentence. Vague is allowed: "pixels".
TRUE_KINDS: dict[DefectKind, set[ChangeKind]] = {
    "vanished": {"vanished"},
    "torn": {"moved", "text"},
    "swapped": {"color"},
    "truncated": {"vanished"},
    "low_contrast": {"color", "text", "faint"},
    "stray_label": {"appeared", "text"},
}
HARMLESS = (
    "DefinitionList-render-story-Default",
    "ClipboardButton-smoke-after-copy",
    "Menu-smoke-light",
)


def planted(pairs: list[RealPair], start: int) -> Iterator[tuple[Defect, Analysis]]:
    for number, pair in enumerate(pairs):
        kind = DEFECT_KINDS[number % len(DEFECT_KINDS)]
        defect = plant_defect(pair.after, kind, f"{start} {pair.name}")
        if defect is not None:
            yield defect, analyze(compare_with_marks(pair.before, defect.png)[1])


@pytest.mark.search
def test_most_planted_defects_have_their_kind() -> None:
    pairs = [
        pair
        for folder in ("gravity-menu", "gravity-layout")
        for pair in real_change(folder).of_kind("identical")
    ]
    # A few of any seed could be the vague ones, so an ordinary run takes the same ones each time.
    chosen = rounds(random.Random(3).sample(pairs, 9), sample(pairs, 90))
    found = list(planted(chosen, rounds(3, seed())))
    right = [
        any(
            change.kind in TRUE_KINDS[defect.kind] and overlap(change.box, defect.box)
            for change in analysis.changes
        )
        for defect, analysis in found
    ]
    assert right.count(True) >= 0.7 * len(right), f"seed {seed()}"


def test_a_planted_defect_is_worse_than_a_harmless_change() -> None:
    change = real_change("gravity-menu")
    harmless = [
        analyze(compare_with_marks(pair.before, pair.after)[1]).severity
        for pair in change.pairs
        if any(name in pair.name for name in HARMLESS)
    ]
    pairs = random.Random(7).sample(change.of_kind("identical"), 6)
    defects = {
        defect.kind: analysis.severity
        for number, pair in enumerate(pairs)
        if (defect := plant_defect(pair.after, DEFECT_KINDS[number], 7)) is not None
        for analysis in [analyze(compare_with_marks(pair.before, defect.png)[1])]
    }
    assert len(harmless) == len(HARMLESS)
    assert min(defects.values()) > max(harmless), defects
