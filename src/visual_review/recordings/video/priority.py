"""Lets everything else on the machine run first."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NICENESS: Final = 10
# Linux shares the CPU between sessions first, where the niceness of one process has no effect.
SESSION_NICENESS: Final = Path("/proc/self/autogroup")


def lower_priority() -> None:
    """Give this process and its session less CPU time than others get."""
    os.nice(NICENESS)
    # Not every kernel has these, and in a sandbox they may be forbidden.
    with suppress(OSError, AttributeError):
        SESSION_NICENESS.write_text(str(NICENESS))
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
