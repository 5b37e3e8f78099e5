"""The payment provider of this installation, if one is configured; for tests, one within the process."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache

from django.conf import settings

from visual_review.payments.port import (
    Charge,
    Event,
    EventInvalidError,
    Payments,
    PaymentsRejectedError,
)
from visual_review.payments.settings import MemorySettings, StripeSettings
from visual_review.payments.stripe.adapter import StripePayments

SIGNATURE = "in memory"


@dataclass
class Ledger:
    """The charged items by the id of our charge, and the ended items."""

    items: dict[str, str] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    # Raised by the next calls, one each.
    faults: list[Exception] = field(default_factory=list)


@cache
def ledger_of(name: str) -> Ledger:  # noqa: ARG001 - One ledger for each name.
    return Ledger()


@dataclass(frozen=True)
class MemoryPayments:
    ledger: Ledger

    def start_item(self, charge: Charge) -> str:
        self._fail()
        return self.ledger.items.setdefault(charge.id, f"item-{len(self.ledger.items) + 1}")

    def find_item(self, charge_id: str) -> str | None:
        self._fail()
        return self.ledger.items.get(charge_id)

    def end_item(self, item: str, charge_id: str) -> None:
        self._fail()
        if self.ledger.items.get(charge_id) != item:
            raise PaymentsRejectedError(f"There is no item '{item}'.")
        self.ledger.ended.add(item)

    def read_event(self, body: bytes, signature: str) -> Event | None:
        if signature != SIGNATURE:
            raise EventInvalidError("The signature is wrong.")
        document = json.loads(body)
        now = datetime.now(UTC)
        return Event(document["kind"], document["item"], now, document["message"])

    def close(self) -> None:
        pass

    def _fail(self) -> None:
        if self.ledger.faults:
            raise self.ledger.faults.pop(0)


@contextmanager
def open_payments() -> Iterator[Payments | None]:
    """Open the provider for the block; None where no provider is configured."""
    payments = _create_payments(settings.PAYMENTS)
    try:
        yield payments
    finally:
        if payments is not None:
            payments.close()


def _create_payments(chosen: StripeSettings | MemorySettings | None) -> Payments | None:
    if isinstance(chosen, StripeSettings):
        return StripePayments(chosen)
    return MemoryPayments(ledger_of(chosen.name)) if chosen else None
