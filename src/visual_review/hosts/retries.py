"""How often, and after what pauses, a failed call to a Git provider is repeated."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RetryPolicy:
    """``first`` and ``longest`` are seconds; pauses double and are spread at random.

    Attempts are few and pauses short: a failed job is retried later, and blocks no one meanwhile.
    """

    attempts: int = 3
    first: float = 0.5
    longest: float = 5.0
    sleep: Callable[[float], None] = time.sleep

    def next_pause(self, attempt: int, until: datetime | None, moment: datetime) -> float | None:
        """Return the seconds to wait after the failed ``attempt``, counted from 0.

        None after the last attempt, or if the provider asks for more than ``longest``: give up.
        """
        if attempt + 1 >= self.attempts:
            return None
        # Jobs failing together must not all retry at the same moment.
        spread = random.uniform(0.5, 1.0)  # noqa: S311 - Not for a secret.
        pause = min(self.longest, self.first * 2.0**attempt) * spread
        if until is None:
            return pause
        asked = (until - moment).total_seconds()
        return max(asked, pause) if asked <= self.longest else None
