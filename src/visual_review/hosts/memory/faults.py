"""Faults that a host in memory can be told to have."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostDeclinedError,
    HostError,
    HostMissingError,
    HostResponseError,
)

Trouble = Literal["refused", "busy", "missing", "declined", "html"]


@dataclass
class Fault:
    """One kind of ``trouble`` in every ``every``-th of the calls named (all when none is).

    It ends after ``times`` of them (None: never). ``answer_lost`` means that the call was done and
    only its answer did not arrive. ``met`` counts the calls it saw, ``raised`` those it spoiled.
    """

    trouble: Trouble
    calls: Collection[str] = ()
    every: int = 1
    times: int | None = None
    until: datetime | None = None
    answer_lost: bool = False
    met: int = 0
    raised: int = 0

    def spoils(self, call: str) -> bool:
        """Whether this call is one of those; counts it."""
        if self.calls and call not in self.calls:
            return False
        if self.times is not None and self.raised >= self.times:
            return False
        self.met += 1
        if self.met % self.every:
            return False
        self.raised += 1
        return True

    def error(self) -> HostError:
        match self.trouble:
            case "refused":
                return HostAccessError("The host does not accept these credentials.")
            case "busy":
                return HostBusyError("The host does not answer.", self.until)
            case "missing":
                return HostMissingError("The host does not know this.")
            case "declined":
                return HostDeclinedError("The host does not take this.", 422)
            case "html":
                return HostResponseError("The host answered a page of HTML where JSON belongs.")
