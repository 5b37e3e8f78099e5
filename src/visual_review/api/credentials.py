"""The bearer credential of a request, and the limit of wrong ones."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from visual_review.accounts.client_address import client_network
from visual_review.kernel.errors import TooManyAttemptsError, UnauthenticatedError


class FailureCounter:
    """``limit`` failures in ``seconds`` for each client; only the latest ``most`` clients count.

    In memory, so a flood of failures costs no write to the database. Each process counts for
    itself.
    """

    def __init__(self, limit: int, seconds: float, most: int) -> None:
        self.limit = limit
        self.seconds = seconds
        self.most = most
        self._lock = threading.Lock()
        # When the client's period began, and its failures since then; the oldest period first.
        self._periods: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def record(self, client: str, moment: float) -> int:
        """Count a failure; return 0, or beyond the limit the seconds until the period is over."""
        with self._lock:
            start, count = self._periods.get(client, (moment, 0))
            if moment - start >= self.seconds:
                del self._periods[client]
                start, count = moment, 0
            # An assignment keeps the place of a client who is in the dictionary.
            self._periods[client] = (start, count + 1)
            if len(self._periods) > self.most:
                self._periods.popitem(last=False)
        return 0 if count < self.limit else math.ceil(start + self.seconds - moment)

    def clear(self) -> None:
        with self._lock:
            self._periods.clear()


SCHEME = "bearer"
# A build farm with a revoked key stays below the limit; all processes together allow more.
WRONG_CREDENTIALS = FailureCounter(limit=100, seconds=60, most=10_000)
TOO_MANY_WRONG = (
    "The credential is not valid, like many others sent from this network in the last minute. "
    "A valid one is still accepted."
)


def bearer_of(headers: Mapping[str, str], error_message: str) -> str:
    """Return the credential after ``Authorization: Bearer``.

    Raises UnauthenticatedError with ``error_message``.
    """
    scheme, _, credential = headers.get("Authorization", "").partition(" ")
    # Names of schemes are case-insensitive (RFC 9110, 11.1).
    if scheme.lower() != SCHEME or not credential.strip():
        raise UnauthenticatedError(error_message)
    return credential.strip()


@contextmanager
def wrong_credentials_limited(address: str) -> Iterator[None]:
    """Raise TooManyAttemptsError for a wrong credential beyond the limit of the client's network.

    The credential is always checked first: a right one is never refused for wrong ones.
    """
    try:
        yield
    except UnauthenticatedError as error:
        wait = WRONG_CREDENTIALS.record(client_network(address), time.monotonic())
        if wait:
            raise TooManyAttemptsError(wait, TOO_MANY_WRONG) from error
        raise
