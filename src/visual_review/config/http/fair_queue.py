"""Gives clients their turn, so that one with a hundred requests does not delay the others; pure."""

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")
# One of so many turns goes to deferred items while others wait, so that none waits forever.
DEFERRED_TURNS: Final = 8


@dataclass(frozen=True)
class Turn(Generic[T]):
    """An item in progress, and whose it is."""

    client: str
    item: T
    deferred: bool


class FairQueue(Generic[T]):
    """Items of several clients, taken in turn.

    At most ``share`` of a client's are in progress, and at most ``deferred_share`` deferred ones.
    """

    def __init__(self, share: int, deferred_share: int) -> None:
        self._share = share
        self._deferred_share = deferred_share
        self._lines: dict[bool, OrderedDict[str, deque[T]]] = {
            False: OrderedDict(),
            True: OrderedDict(),
        }
        self._in_progress: Counter[str] = Counter()
        self._deferred_in_progress = 0
        self._turns = 0

    def put(self, client: str, item: T, *, deferred: bool = False) -> None:
        """Add an item; a ``deferred`` one waits until there are no others."""
        self._lines[deferred].setdefault(client, deque()).append(item)

    def take(self) -> Turn[T] | None:
        """Return the next item, which must be handed to ``finish`` later; None if none may begin."""
        self._turns += 1
        deferred_first = self._turns % DEFERRED_TURNS == 0
        return self._take(deferred=deferred_first) or self._take(deferred=not deferred_first)

    def finish(self, turn: Turn[T]) -> None:
        """Record that an item is no longer in progress."""
        self._deferred_in_progress -= turn.deferred
        self._in_progress[turn.client] -= 1
        if not self._in_progress[turn.client]:
            del self._in_progress[turn.client]

    def _take(self, *, deferred: bool) -> Turn[T] | None:
        if deferred and self._deferred_in_progress >= self._deferred_share:
            return None
        lines = self._lines[deferred]
        for client, items in lines.items():
            if self._in_progress[client] < self._share:
                item = items.popleft()
                lines.move_to_end(client)
                if not items:
                    del lines[client]
                self._in_progress[client] += 1
                self._deferred_in_progress += deferred
                return Turn(client, item, deferred)
        return None
