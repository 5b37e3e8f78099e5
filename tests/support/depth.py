"""How far random search goes: a little in every run, in full in ``make test-deep``.

Tests marked ``search`` run in both, tests marked ``deep`` only there: browser matrices, rebuilds of
Storybooks, generated clients. One seed determines every random choice; a run prints the seed.
"""

import os
import random
from collections.abc import Iterable
from typing import Final, TypeVar

T = TypeVar("T")

DEPTH_VARIABLE: Final = "VISUAL_REVIEW_TEST_DEPTH"
SEED_VARIABLE: Final = "VISUAL_REVIEW_TEST_SEED"
DEEP: Final = os.environ.get(DEPTH_VARIABLE) == "deep"


def rounds(ordinary: T, deep: T) -> T:
    """Return ``ordinary`` in every run, ``deep`` in ``make test-deep``."""
    return deep if DEEP else ordinary


def some_of(choices: Iterable[T], number: int) -> list[T]:
    """Return ``number`` of the choices in their order, chosen by the seed."""
    listed = list(choices)
    chosen = sorted(random.Random(seed()).sample(range(len(listed)), number))
    return [listed[index] for index in chosen]


def seed() -> int:
    """Return the seed of the run, the same in all processes."""
    return int(os.environ.setdefault(SEED_VARIABLE, str(random.SystemRandom().randrange(2**32))))
