"""Faults simulated by the provider in memory."""

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

FaultKind = Literal["refused", "busy", "missing", "declined", "html"]


@dataclass
class Fault:
    """An error in every ``every``-th of the named ``calls`` (of all calls when none is named).

    The fault ends after ``times`` errors (None: never). ``response_lost`` means that the call was
    processed and only the response is lost. ``seen`` counts matching calls, ``raised`` the errors.
    """

    kind: FaultKind
    calls: Collection[str] = ()
    every: int = 1
    times: int | None = None
    until: datetime | None = None
    response_lost: bool = False
    seen: int = 0
    raised: int = 0

    def applies_to(self, call: str) -> bool:
        """Count the call, and return whether the call fails."""
        if self.calls and call not in self.calls:
            return False
        if self.times is not None and self.raised >= self.times:
            return False
        self.seen += 1
        if self.seen % self.every:
            return False
        self.raised += 1
        return True

    def error(self) -> HostError:
        match self.kind:
            case "refused":
                return HostAccessError("The Git provider does not accept these credentials.")
            case "busy":
                return HostBusyError("The Git provider does not respond.", self.until)
            case "missing":
                return HostMissingError("The Git provider does not know this.")
            case "declined":
                return HostDeclinedError("The Git provider does not accept this.", 422)
            case "html":
                return HostResponseError("The Git provider sent an HTML page instead of JSON.")
