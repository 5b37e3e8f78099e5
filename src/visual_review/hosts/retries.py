"""How often and after which pauses a call to a host is repeated."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RetryPolicy:
    """``first`` and ``longest`` are seconds; pauses double and are spread at random.

    Few and short: a job that gives up comes again by itself, and keeps nobody waiting meanwhile.
    """

    attempts: int = 3
    first: float = 0.5
    longest: float = 5.0
    sleep: Callable[[float], None] = time.sleep

    def pause(self, attempt: int, until: datetime | None, moment: datetime) -> float | None:
        """Seconds to wait after the failed ``attempt``, counted from 0.

        None to give up: it was the last attempt, or the host asks for more than ``longest``.
        """
        if attempt + 1 >= self.attempts:
            return None
        # Many jobs that lost the same host must not come back in the same moment.
        spread = random.uniform(0.5, 1.0)  # noqa: S311 - No secret depends on it.
        pause = min(self.longest, self.first * 2.0**attempt) * spread
        if until is None:
            return pause
        asked = (until - moment).total_seconds()
        return max(asked, pause) if asked <= self.longest else None
