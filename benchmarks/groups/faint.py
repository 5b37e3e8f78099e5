"""Plant faint defects in real pages, and see whether each is found."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.support.imagediff.defects import read_pixels
from tests.support.imagediff.faint_defects import DEFECTS, FaintDefect, plant_faint_defect

from benchmarks.groups.builds import Shot
from visual_review.imagediff import compare_with_marks


@dataclass(frozen=True)
class FaintResult:
    """Planted defects of each kind, and the defects not found."""

    planted: Counter[str]
    missed: tuple[str, ...]


def plant_faint_defects(shots: Sequence[Shot], seed: int, most: int) -> FaintResult:
    """Plant up to ``most`` defects of each kind, in pages chosen by the seed."""
    planted: Counter[str] = Counter()
    missed = []
    for name, defect in _plant_each(shots, seed, most):
        planted[defect.kind] += 1
        if not is_found(defect):
            missed.append(f"{defect.kind} of seed {seed} in {name}")
    return FaintResult(planted, tuple(missed))


def is_found(defect: FaintDefect) -> bool:
    """Return whether the pair counts as changed where faint changes count."""
    verdict, marks = compare_with_marks(defect.before, defect.after)
    return not verdict.equal or marks.pair.find_faint().is_large


def _plant_each(shots: Sequence[Shot], seed: int, most: int) -> Iterator[tuple[str, FaintDefect]]:
    for kind in DEFECTS:
        rng = random.Random(f"faint {kind} {seed}")
        for shot in rng.sample(list(shots), min(most, len(shots))):
            defect = plant_faint_defect(read_pixels(shot.after), kind, f"{shot.name} {seed}")
            if defect is not None:
                yield shot.name, defect
