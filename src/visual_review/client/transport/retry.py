"""Retries calls after a broken connection or an error of a busy server.

Every call of the CI interface may be repeated, so a lost response does no harm.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

# Temporary errors of proxies and busy servers; any other error would just occur again.
TRANSIENT: Final = frozenset({429, 502, 503, 504})
# S3 asks for another attempt by 500 too.
TRANSIENT_OF_STORAGE: Final = TRANSIENT | {500}
# Of a limit that ends later than MAX_RETRY_AFTER_SECONDS, such as a quota of the day.
USED_UP: Final = 429
MAX_RETRY_AFTER_SECONDS: Final = 120.0

NOT_CONNECTED: Final = (httpx.ConnectError, httpx.ConnectTimeout)

OnRetry = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """``first`` and ``longest`` are seconds; pauses double and are randomized."""

    attempts: int = 7
    first: float = 0.5
    longest: float = 20.0

    def pause(self, attempt: int) -> float:
        """Return how long to wait after the failed ``attempt``, counted from 0."""
        longest = min(self.longest, self.first * 2.0**attempt)
        # Fifty jobs with the same lost server must not all come back at once.
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - No secret depends on it.


def send_with_retry(
    call: Callable[[], httpx.Response],
    retry_policy: RetryPolicy,
    on_retry: OnRetry,
    *,
    transient: frozenset[int] = TRANSIENT,
    connect_seconds: float | None = None,
) -> httpx.Response:
    """Return the first response whose status is not ``transient``, or the last response.

    With ``connect_seconds``, failures to connect are retried no longer than ``connect_seconds``.
    Raises httpx.TransportError if the last attempt got no response at all.
    """
    started = time.monotonic()
    for attempt in range(retry_policy.attempts - 1):
        pause = retry_policy.pause(attempt)
        try:
            response = call()
        except httpx.TransportError as error:
            if connect_seconds is not None and isinstance(error, NOT_CONNECTED):
                waited = time.monotonic() - started
                if waited + pause > connect_seconds:
                    raise
            reason = str(error) or type(error).__name__
        else:
            wait = _retry_after_seconds(response)
            is_used_up = response.status_code == USED_UP and wait > MAX_RETRY_AFTER_SECONDS
            if response.status_code not in transient or is_used_up:
                return response
            pause = max(pause, min(wait, MAX_RETRY_AFTER_SECONDS))
            reason = f"status {response.status_code}"
        on_retry(reason, pause)
        time.sleep(pause)
    # Called outside the loop, so that the caller gets the last error unchanged.
    return call()


def _retry_after_seconds(response: httpx.Response) -> float:
    """Return the seconds of Retry-After, a number or a date; 0 without the header."""
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return 0.0
    return max(seconds, 0.0)
