"""Watches the open connections of the web process, and ends those that block it."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from visual_review.config.http.connection_rules import (
    Activity,
    ending_reason,
    select_excess,
    stalled_since,
)
from visual_review.kernel.client_address import Network

SWEEP_SECONDS: Final = 1.0
# Log lines of an attack would fill the disk; one a minute is enough to notice it.
REPORT_SECONDS: Final = 60.0
DEFAULT_MAX_CONNECTIONS: Final = 4096

logger = logging.getLogger(__name__)


class WatchedConnection(Protocol):
    """A connection that can be asked what it does."""

    def observe(self, now: float) -> Activity: ...

    def abort(self) -> None: ...


@dataclass
class ConnectionGuard:
    """All connections of one process; at most ``most`` are open.

    Those of the proxies in ``trusted`` belong to many clients.
    """

    trusted: Sequence[Network] = ()
    most: int = DEFAULT_MAX_CONNECTIONS
    connections: dict[WatchedConnection, None] = field(default_factory=dict)
    ended: Counter[str] = field(default_factory=Counter)
    # Of the last sweep, the longest first: looking at all for each new one would be too slow.
    stalled: deque[WatchedConnection] = field(default_factory=deque)
    reported_at: float = float("-inf")
    timer: asyncio.TimerHandle | None = None

    def add(self, connection: WatchedConnection) -> None:
        """Watch a new connection; beyond the most, another one or this one is ended."""
        self.connections[connection] = None
        if len(self.connections) > self.most:
            self._end(self._least_useful(), "there are too many connections")
        if self.timer is None:
            self._start_timer()

    def discard(self, connection: WatchedConnection) -> None:
        self.connections.pop(connection, None)

    def sweep(self, now: float) -> None:
        """End what has taken too long, and what is stalled beyond the limits."""
        stalled: list[tuple[WatchedConnection, float, str]] = []
        for connection in list(self.connections):
            activity = connection.observe(now)
            if reason := ending_reason(activity, now):
                self._end(connection, reason)
            elif (since := stalled_since(activity, now)) is not None:
                stalled.append((connection, since, activity.client))
        for position in select_excess((since, client) for _, since, client in stalled):
            self._end(stalled[position][0], "too many connections make no progress")
        stalled.sort(key=lambda each: each[1])
        self.stalled = deque(connection for connection, _, _ in stalled)
        self._report(now)

    def _least_useful(self) -> WatchedConnection:
        """Return the longest stalled connection of the last sweep, else the newest."""
        while self.stalled:
            connection = self.stalled.popleft()
            if connection in self.connections:
                return connection
        return next(reversed(self.connections))

    def _end(self, connection: WatchedConnection, reason: str) -> None:
        self.discard(connection)
        self.ended[reason] += 1
        connection.abort()

    def _report(self, now: float) -> None:
        if self.ended and now - self.reported_at > REPORT_SECONDS:
            for reason, count in self.ended.items():
                logger.info("%s connections were ended: %s", count, reason)
            self.ended.clear()
            self.reported_at = now

    def _start_timer(self) -> None:
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(SWEEP_SECONDS, self._on_timer, loop)

    def _on_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        self.sweep(loop.time())
        self.timer = None
        if self.connections:
            self._start_timer()
