"""Images too large, or not ours, to commit."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from scripts.setup_steps import SAMPLES

from tests.support.depth import seed
from visual_review.imagediff import probe


def shared(*parts: str) -> Path:
    """Return a path below the samples, or skip the calling test or module."""
    path = SAMPLES.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"there are no {path}: set VISUAL_REVIEW_SAMPLES to the folder of samples")
    return path


@dataclass(frozen=True)
class RealPair:
    """Screenshots of one story of a real project, before and after a real commit."""

    name: str
    before: bytes
    after: bytes

    @property
    def kind(self) -> str:
        """The kind of difference, from files and headers alone."""
        if self.before == self.after:
            return "identical"
        sizes = [(info.width, info.height) for info in map(probe, (self.before, self.after))]
        return "pixels" if sizes[0] == sizes[1] else "size"


@dataclass(frozen=True)
class RealChange:
    """Both sides of a real commit: pairs in both, and how many images are in one only."""

    pairs: tuple[RealPair, ...]
    new: int
    removed: int

    def of_kind(self, kind: str) -> list[RealPair]:
        return [pair for pair in self.pairs if pair.kind == kind]


def real_change(folder: str) -> RealChange:
    before, after = shared("pairs", folder, "before"), shared("pairs", folder, "after")
    old, fresh = (
        {path.relative_to(side).as_posix() for path in side.rglob("*.png")}
        for side in (before, after)
    )
    pairs = tuple(
        RealPair(name, (before / name).read_bytes(), (after / name).read_bytes())
        for name in sorted(old & fresh)
    )
    return RealChange(pairs, len(fresh - old), len(old - fresh))


def suite_pairs(folder: Path) -> list[tuple[Path, Path]]:
    """Return each image of PngSuite with the next one of its size, so that all forms meet."""
    by_size: dict[tuple[int, int], list[Path]] = {}
    for path in sorted(folder.glob("*.png")):
        info = probe(path.read_bytes())
        by_size.setdefault((info.width, info.height), []).append(path)
    return [pair for paths in by_size.values() for pair in pairwise(paths)]


def sample(pairs: Sequence[RealPair], most: int) -> list[RealPair]:
    return random.Random(seed()).sample(pairs, min(most, len(pairs)))
