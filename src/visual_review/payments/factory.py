"""The payment provider of this installation, if one is configured."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from visual_review.payments.memory import MemoryPayments, ledger_of
from visual_review.payments.port import Payments
from visual_review.payments.settings import MemorySettings, StripeSettings
from visual_review.payments.stripe.adapter import StripePayments


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
