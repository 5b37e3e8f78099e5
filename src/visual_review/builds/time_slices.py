"""Ends long work early while another organization waits for its turn."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

# Longer than the work repeated by an interrupted job when it continues.
SLICE_SECONDS: Final = 3.0
CHECK_SECONDS: Final = 1.0


class TimeSliceEndedError(Exception):
    """Another organization waits: stop here, and continue in a job of its own."""


@dataclass
class TimeSlice:
    """The time of a job before others get a turn; begins with the first step of new work."""

    others_wait: Callable[[], bool]
    clock: Callable[[], float] = time.monotonic
    next_check: float | None = None

    def check(self) -> None:
        """Call before each step of work that need not be done again; raises TimeSliceEndedError.

        The first call never raises, so that every slice makes progress.
        """
        moment = self.clock()
        if self.next_check is None:
            self.next_check = moment + SLICE_SECONDS
        elif moment >= self.next_check:
            if self.others_wait():
                raise TimeSliceEndedError
            self.next_check = moment + CHECK_SECONDS


def never_end() -> None:
    """Stand in for a check where nothing else waits."""
