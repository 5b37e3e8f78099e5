"""Defects planted in real screenshots have the right kind, and come before harmless changes."""

import random
from collections.abc import Iterator

import pytest

from tests.support.depth import rounds, seed
from tests.support.imagediff.defects import DEFECT_KINDS, Defect, DefectKind, plant_defect
from tests.support.imagediff.shared_data import RealPair, real_change, sample
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.boxes import overlap
from visual_review.imagediff.changes.model import Analysis, ChangeKind

# What is true of a defect; all else is a false sentence. Vague is allowed: "pixels".
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
