"""When the service ends a connection: pure rules over what was seen of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

# From the first byte of a request, or from the connection, until its headers are complete.
HEAD_SECONDS: Final = 15.0
IDLE_SECONDS: Final = 35.0
# An unused connection is closed before that, in the usual way.
KEEP_ALIVE_SECONDS: Final = 30.0
# Responses are written in parts of 64 kB, so this is a rate of 2 kB/s.
SEND_SECONDS: Final = 30.0
# After an early error response, the rest of a body is read for this long, so that the client
# reads the response before the connection closes.
DISCARD_SECONDS: Final = 10.0
# A client that makes no progress for this long may lose its connection to others.
STALL_SECONDS: Final = 2.0
# What a browser opens at once is six; a CI machine with many uploads has a few dozen.
MAX_STALLED_PER_CLIENT: Final = 32
MAX_STALLED: Final = 256


class Phase(StrEnum):
    """What a connection waits for."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    RESPONSE = auto()
    DISCARDING = auto()


@dataclass
class Activity:
    """What was seen of a connection; times are those of the event loop, in seconds.

    ``client`` is empty while only a proxy is known. ``phase_since`` is when the phase began, ``received_at`` when the last bytes arrived, and
    ``unsent_since`` when the client stopped taking what is written, or None.
    """

    client: str
    phase: Phase
    phase_since: float
    received_at: float
    unsent_since: float | None = None


def ending_reason(activity: Activity, now: float) -> str:
    """Return why the connection must end now, or an empty string."""
    if activity.unsent_since is not None and now - activity.unsent_since > SEND_SECONDS:
        return "the client does not read the response"
    age = now - activity.phase_since
    match activity.phase:
        case Phase.HEAD if age > HEAD_SECONDS:
            return "the request is incomplete"
        case Phase.IDLE if age > IDLE_SECONDS:
            return "there was no request"
        case Phase.DISCARDING if age > DISCARD_SECONDS:
            return "the request was rejected and is still being sent"
        case _:
            return ""


def end_of_keep_alive(idle_since: float) -> float:
    """Return when a connection that was last used at ``idle_since`` is closed."""
    return idle_since + KEEP_ALIVE_SECONDS


def stalled_since(activity: Activity, now: float) -> float | None:
    """Return since when the client makes no progress, or None if it does."""
    began = activity.unsent_since
    if began is None:
        match activity.phase:
            case Phase.HEAD | Phase.DISCARDING:
                began = activity.phase_since
            case Phase.BODY:
                began = max(activity.phase_since, activity.received_at)
            case _:
                return None
    return began if now - began > STALL_SECONDS else None


def select_excess(stalled: Iterable[tuple[float, str]]) -> list[int]:
    """Return the positions of the connections to end: the longest stalled beyond the limits.

    ``stalled`` has for each connection, the earliest first, since when it makes no progress, and
    its client. Others of the same client are never affected, so people who share an IP address are
    not either.
    """
    # Several begin at the same time of a loop whose clock stands still during an iteration.
    oldest_last = sorted(enumerate(stalled), key=lambda each: (each[1][0], each[0]), reverse=True)
    counts: Counter[str] = Counter()
    excess = []
    for position, (_, client) in oldest_last:
        too_many = bool(client) and counts[client] >= MAX_STALLED_PER_CLIENT
        if too_many or counts.total() >= MAX_STALLED:
            excess.append(position)
        else:
            counts[client] += 1
    return excess
