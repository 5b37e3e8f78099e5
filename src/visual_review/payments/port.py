"""What the service asks of a payment provider, and what a provider tells by itself."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

EventKind = Literal["ended", "payment_failed", "paid"]


class PaymentsRejectedError(Exception):
    """The provider will not do this, however often it is asked; the text says what to mend."""


class PaymentsAwayError(Exception):
    """The provider did not answer, or not in a way that says whether it did it. Ask again."""


class EventInvalidError(Exception):
    """What came in is not the provider's, or too old."""


@dataclass(frozen=True)
class Charge:
    """What is charged each month. ``price`` is in the smallest unit of ``currency``.

    ``id`` is ours: asking again with the same id never charges twice.
    """

    id: str
    name: str
    organization_id: str
    price: int
    currency: str


@dataclass(frozen=True)
class Event:
    """Something that happened to an item at the provider, when, and in words for people."""

    kind: EventKind
    item: str
    at: datetime
    words: str


class Payments(Protocol):
    """One provider. Every call may be repeated; each raises the two errors of asking."""

    def start_item(self, charge: Charge) -> str:
        """Begin to charge; the provider's id of it, the same however often it is asked."""

    def find_item(self, charge_id: str) -> str | None:
        """The provider's id of what was begun for this charge, if anything was."""

    def end_item(self, item: str, charge_id: str) -> None:
        """Charge no longer; what has ended already is as good."""

    def read_event(self, body: bytes, signature: str) -> Event | None:
        """What a webhook tells, None for what does not matter here; raises EventInvalidError."""

    def close(self) -> None:
        """Give connections back."""
