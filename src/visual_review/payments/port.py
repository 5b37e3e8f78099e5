"""The interface to a payment provider: calls to the provider, and events from the provider."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

EventKind = Literal["ended", "payment_failed", "paid"]


class PaymentsRejectedError(Exception):
    """The provider rejects the request, also when retried; the message says how to fix this."""


class PaymentsUnavailableError(Exception):
    """The provider did not respond, or may or may not have processed the call. Retry."""


class EventInvalidError(Exception):
    """The webhook was not sent by the provider, or is too old."""


@dataclass(frozen=True)
class Charge:
    """A monthly charge. ``price`` is in the smallest unit of ``currency``.

    ``id`` is ours: repeating a call with the same id never charges twice.
    """

    id: str
    name: str
    organization_id: str
    price: int
    currency: str


@dataclass(frozen=True)
class Event:
    """An event of an item at the provider; ``message`` is for people."""

    kind: EventKind
    item: str
    at: datetime
    message: str


class Payments(Protocol):
    """One provider. Every call may be repeated; each raises the two errors above."""

    def start_item(self, charge: Charge) -> str:
        """Start charging and return the provider's id, the same for repeated calls."""

    def find_item(self, charge_id: str) -> str | None:
        """Return the provider's id of the item started for the charge, None without one."""

    def end_item(self, item: str, charge_id: str) -> None:
        """Stop charging; no error for an item already ended."""

    def read_event(self, body: bytes, signature: str) -> Event | None:
        """Return the event, or None for an irrelevant one; raises EventInvalidError."""

    def close(self) -> None:
        """Close the connections."""
