"""Measurements of areas: the same by both engines, bit for bit."""

import random

import pytest

from tests.support.depth import rounds, seed
from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.random_pairs import make_pair
from tests.support.imagediff.shared_data import real_change, sample
from visual_review.imagediff import DEFAULT_LIMITS, DEFAULT_OPTIONS, Box
from visual_review.imagediff.engine import NATIVE, NUMPY, describe, describe_engine, native_problem
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.port import Engine, Marks

OFFSETS = ((0, 0), (0, 0), (3, -2), (-1, 40))


def mark(engine: Engine, before: bytes, after: bytes) -> Marks:
    return engine.mark(before, after, DEFAULT_OPTIONS, DEFAULT_LIMITS)


def measure(marks: Marks, rng: random.Random) -> list[AreaFeatures]:
    """Measure some boxes of the pair, and one anywhere."""
    x, y = rng.randrange(marks.width), rng.randrange(marks.height)
    anywhere = Box(x, y, rng.randint(1, marks.width - x), rng.randint(1, marks.height - y))
    boxes = (*marks.boxes[:3], anywhere)
    return [marks.pair.measure(marks.mask, box, rng.choice(OFFSETS)) for box in boxes]


@pytest.mark.search
def test_engines_measure_random_pairs_alike() -> None:
    rng = random.Random(seed())
    for number in range(rounds(25, 4000)):
        pair, other = make_pair(rng, 40), make_pair(rng, 40)
        after = rng.choice((pair.after, pair.after, other.after))
        start = rng.random()
        found = [
            measure(mark(engine, pair.before, after), random.Random(start))
            for engine in available_engines()
        ]
        assert found.count(found[0]) == len(found), f"seed {seed()}, pair {number}"


@pytest.mark.search
def test_engines_measure_real_pairs_alike() -> None:
    rng = random.Random(seed())
    for folder in rounds(("gravity-menu",), ("gravity-menu", "gravity-layout")):
        pairs = [pair for pair in real_change(folder).pairs if pair.kind != "identical"]
        for pair in sample(pairs, rounds(1, len(pairs))):
            start = rng.random()
            found = [
                measure(mark(engine, pair.before, pair.after), random.Random(start))
                for engine in available_engines()
            ]
            assert found.count(found[0]) == len(found), pair.name


@pytest.mark.parametrize(
    ("name", "problem", "expected"),
    [
        (NATIVE, None, "native"),
        (NUMPY, "this installation has no library", "slower: this installation has no library"),
        (NUMPY, None, "slower: VISUAL_REVIEW_IMAGE_ENGINE chooses it"),
    ],
)
def test_the_engine_is_named_and_why_it_is_not_the_native_one(
    name: str, problem: str | None, expected: str
) -> None:
    described = describe(name, problem)
    assert described.startswith(name)
    assert described.endswith(expected)


def test_this_machine_says_why_it_has_no_native_engine() -> None:
    assert (native_problem() or NATIVE) in describe_engine()
