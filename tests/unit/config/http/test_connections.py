"""The guard ends connections that take too long or are too many, and reports it now and then."""

import asyncio
from dataclasses import dataclass, field

from visual_review.config.http.connection_rules import HEAD_SECONDS, Activity, Phase
from visual_review.config.http.connections import ConnectionGuard


@dataclass(eq=False)
class FakeConnection:
    """A connection that began at a time, in seconds."""

    began: float
    phase: Phase = Phase.HEAD
    ended: bool = field(default=False)

    def observe(self, now: float) -> Activity:
        _ = now
        return Activity("192.0.2.1", self.phase, self.began, self.began)

    def abort(self) -> None:
        self.ended = True


def add_all(guard: ConnectionGuard, *connections: FakeConnection) -> None:
    async def add() -> None:
        for connection in connections:
            guard.add(connection)
        assert guard.timer is not None
        guard.timer.cancel()

    asyncio.run(add())


def test_a_sweep_ends_what_takes_too_long() -> None:
    guard = ConnectionGuard()
    late, recent = FakeConnection(0.0), FakeConnection(HEAD_SECONDS)
    add_all(guard, late, recent)
    guard.sweep(HEAD_SECONDS + 1)
    assert (late.ended, recent.ended) == (True, False)


def test_beyond_the_most_the_longest_stalled_connection_makes_room() -> None:
    guard = ConnectionGuard(most=3)
    old, older, useful = FakeConnection(5.0), FakeConnection(4.0), FakeConnection(9.0, Phase.BODY)
    add_all(guard, old, older, useful)
    guard.sweep(10.0)
    newest = FakeConnection(10.0)
    add_all(guard, newest)
    assert [each.ended for each in (old, older, useful, newest)] == [False, True, False, False]


def test_without_stalled_connections_the_newest_is_ended() -> None:
    guard = ConnectionGuard(most=1)
    useful, newest = FakeConnection(0.0, Phase.RESPONSE), FakeConnection(1.0)
    add_all(guard, useful, newest)
    assert (useful.ended, newest.ended) == (False, True)
