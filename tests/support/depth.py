"""How far random search goes: a little in every run, in full in ``make test-deep``.

Tests marked ``search`` run in both, those marked ``deep`` only there: browser matrices, rebuilds
of Storybooks, generated clients. One seed steers every random choice; a run prints it.
"""

import os
import random
from collections.abc import Iterable
from typing import Final, TypeVar

T = TypeVar("T")

DEPTH_VARIABLE: Final = "VISUAL_REVIEW_TEST_DEPTH"
SEED_VARIABLE: Final = "VISUAL_REVIEW_TEST_SEED"
DEEP: Final = os.environ.get(DEPTH_VARIABLE) == "deep"


def rounds(ordinary: int, deep: int) -> int:
    """How often to try: ``ordinary`` times in every run, ``deep`` times in the deep one."""
    return deep if DEEP else ordinary


def some_of(choices: Iterable[T], number: int) -> list[T]:
    """So many of them, in their order; which ones follows from the seed."""
    listed = list(choices)
    chosen = sorted(random.Random(seed()).sample(range(len(listed)), number))
    return [listed[place] for place in chosen]


def seed() -> int:
    """The seed of this run, the same in all its processes; chosen when none was given."""
    return int(os.environ.setdefault(SEED_VARIABLE, str(random.SystemRandom().randrange(2**32))))
