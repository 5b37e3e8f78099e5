"""Repeats calls that a broken connection or a busy server spoiled.

Every call of the CI interface may be repeated, so a lost answer needs no thought here.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

# What proxies and busy servers say in passing; anything else stays the same when repeated.
TRANSIENT: Final = frozenset({429, 502, 503, 504})
LONGEST_WAIT_ASKED_FOR: Final = 120.0

OnRetry = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """``first`` and ``longest`` are seconds; waits double and are spread at random."""

    attempts: int = 7
    first: float = 0.5
    longest: float = 20.0

    def pause(self, attempt: int) -> float:
        """How long to wait after the failed ``attempt``, counted from 0."""
        longest = min(self.longest, self.first * 2.0**attempt)
        # Fifty jobs that lost the same server must not come back in the same moment.
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - No secret depends on it.


def send(
    call: Callable[[], httpx.Response], patience: RetryPolicy, on_retry: OnRetry
) -> httpx.Response:
    """The first answer that is not transient, or the last one there was.

    Raises httpx.TransportError when the last attempt got no answer at all.
    """
    for attempt in range(patience.attempts - 1):
        pause = patience.pause(attempt)
        try:
            response = call()
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
        else:
            if response.status_code not in TRANSIENT:
                return response
            pause = max(pause, _asked_for(response))
            reason = f"status {response.status_code}"
        on_retry(reason, pause)
        time.sleep(pause)
    # Outside the loop, so that the last failure reaches the caller as it is.
    return call()


def _asked_for(response: httpx.Response) -> float:
    """Seconds that Retry-After asks for, as a number or a date; 0 without one."""
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdecimal():
        return min(float(value), LONGEST_WAIT_ASKED_FOR)
    try:
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return 0.0
    return min(max(seconds, 0.0), LONGEST_WAIT_ASKED_FOR)
