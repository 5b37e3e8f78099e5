"""Counts failures by client in the memory of one process."""

import math
import threading
from collections import OrderedDict


class FailureCounter:
    """``limit`` failures in ``seconds`` for each client, of whom it remembers the latest ``most``.

    In memory, so that a flood of failures costs no write to the database. Each process counts for
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
