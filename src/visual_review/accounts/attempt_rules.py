"""When an attempt may be made: growing pauses, and turns under a distributed attack (pure)."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

# Doubling more often than this exceeds every longest pause.
MAX_DOUBLINGS = 20
# An account is attacked from many networks when unknown ones fail this often within an hour.
FREE_TURNS = 20
TURN_INTERVAL = timedelta(seconds=5)
# How long a turn waits for the person to try again.
TURN_VALID = timedelta(minutes=2)
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Budget:
    """``free`` attempts without a pause, then pauses that double from ``first`` to ``longest``.

    Attempts are forgotten when none was made for ``memory``.
    """

    free: int
    first: timedelta
    longest: timedelta
    memory: timedelta = HOUR


@dataclass(frozen=True)
class Attempts:
    """The attempts counted under one key; the next one is possible at ``retry_at``."""

    count: int
    retry_at: datetime
    expires_at: datetime

    def wait_at(self, moment: datetime) -> timedelta:
        return max(self.retry_at - moment, timedelta(0))


EPOCH = datetime.fromtimestamp(0, UTC)
NO_ATTEMPTS = Attempts(0, EPOCH, EPOCH)


@dataclass(frozen=True)
class TurnResult:
    """The account's and the network's new state; without a ``wait`` the attempt is admitted."""

    wait: timedelta
    account: Attempts
    turn: Attempts


def pause_after(count: int, budget: Budget) -> timedelta:
    """Return the pause that follows the attempt with this number."""
    if count < budget.free:
        return timedelta(0)
    doubled: timedelta = budget.first * 2 ** min(count - budget.free, MAX_DOUBLINGS)
    return min(doubled, budget.longest)


def count_attempt(before: Attempts, budget: Budget, moment: datetime) -> Attempts:
    """Return the state after one more attempt, which counts before its result is known."""
    count = before.count + 1
    pause = pause_after(count, budget)
    # Without a pause the time stays: the clock of another process may be a little ahead.
    retry_at = moment + pause if pause else before.retry_at
    return Attempts(count, retry_at, moment + pause + budget.memory)


def forget_attempt(before: Attempts) -> Attempts:
    """Return the state without an attempt that succeeded."""
    return replace(before, count=max(before.count - 1, 0))


def end_pause(before: Attempts) -> Attempts:
    return replace(before, retry_at=NO_ATTEMPTS.retry_at)


def take_turn(account: Attempts, turn: Attempts, moment: datetime) -> TurnResult:
    """Admit an attempt from an unknown network, or reserve a later turn for that network.

    Turns are handed out in order, one for each network at a time. The rate of guesses is bounded
    however many networks take part, and a network waits one interval for each one before it.
    """
    admitted = Attempts(account.count + 1, account.retry_at, moment + HOUR)
    if account.count < FREE_TURNS:
        return TurnResult(timedelta(0), admitted, turn)
    if turn.count:
        wait = turn.wait_at(moment)
        if wait:
            return TurnResult(wait, account, turn)
        return TurnResult(wait, admitted, NO_ATTEMPTS)
    start = max(moment, account.retry_at)
    following = start + TURN_INTERVAL
    wait = start - moment
    if not wait:
        return TurnResult(wait, Attempts(admitted.count, following, following + HOUR), turn)
    reserved = Attempts(account.count, following, following + HOUR)
    return TurnResult(wait, reserved, Attempts(1, start, start + TURN_VALID))
