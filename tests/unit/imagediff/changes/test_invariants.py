"""Rules for the analysis of any pair."""

import random

import pytest

from tests.support.depth import rounds, seed
from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.random_pairs import make_pair
from visual_review.imagediff import DEFAULT_LIMITS, DEFAULT_OPTIONS
from visual_review.imagediff.changes.analysis import MOST_CHANGES, analyze
from visual_review.imagediff.changes.model import CHANGE_KINDS, Analysis
from visual_review.imagediff.port import Marks


def check(analysis: Analysis, marks: Marks) -> None:
    assert len(analysis.changes) <= MOST_CHANGES
    assert 0 <= analysis.severity <= 1
    assert bool(analysis.changes) == bool(analysis.summary) == (analysis.kind is not None)
    assert bool(analysis.changes) or not marks.counts.different
    assert not analysis.summary.endswith(".")
    for change in analysis.changes:
        box = change.box
        assert change.kind in CHANGE_KINDS
        assert change.description
        assert box.x >= 0
        assert box.y >= 0
        assert 0 < box.width <= marks.width - box.x
        assert 0 < box.height <= marks.height - box.y
        if change.contrast is not None:
            assert all(1 <= ratio <= 21 for ratio in change.contrast)


@pytest.mark.search
def test_every_pair_has_an_analysis_that_both_engines_share() -> None:
    rng = random.Random(seed())
    for number in range(rounds(15, 3000)):
        pair, other = make_pair(rng, 60), make_pair(rng, 60)
        after = rng.choice((pair.after, pair.after, other.after))
        found = []
        for engine in available_engines():
            marks = engine.mark(pair.before, after, DEFAULT_OPTIONS, DEFAULT_LIMITS)
            found.append(analyze(marks))
            check(found[-1], marks)
        assert found.count(found[0]) == len(found), f"seed {seed()}, pair {number}"
