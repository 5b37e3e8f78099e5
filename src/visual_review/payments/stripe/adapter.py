"""Stripe: one subscription with one item for each charge, of one customer.

A subscription of its own, because Stripe takes 20 items in one; its price is made from ours, so
that a price is set in one place. What was written against: Stripe's API as the library's version
pins it, https://docs.stripe.com/api/subscriptions.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import stripe

from visual_review.payments.port import (
    Charge,
    Event,
    PaymentsAwayError,
    PaymentsRejectedError,
)
from visual_review.payments.settings import StripeSettings
from visual_review.payments.stripe.events import read_event
from visual_review.payments.stripe.http import Http

# What our own id of a charge stands under at Stripe.
CHARGE: Final = "visual_review_charge"
ORGANIZATION: Final = "visual_review_organization"
PAGE: Final = 100
MISSING: Final = 404
IN_USE: Final = 409
# One whose first invoice was not paid within a day ends by itself, and cannot be canceled.
ENDED: Final = frozenset({"canceled", "incomplete_expired"})


@dataclass(frozen=True)
class StripePayments:
    settings: StripeSettings
    http: Http = field(default_factory=Http)

    def start_item(self, charge: Charge) -> str:
        # Stripe forgets keys of repeated calls after a day; a job may come back later than that.
        found = self.find_item(charge.id)
        if found is not None:
            return found
        with _as_error_result():
            made = self._client().v1.subscriptions.create(
                {
                    "customer": self.settings.customer,
                    "description": charge.name[:500],
                    "items": [
                        {
                            "price_data": {
                                "currency": charge.currency.lower(),
                                "product": self.settings.product,
                                "recurring": {"interval": "month"},
                                "unit_amount": charge.price,
                            }
                        }
                    ],
                    "metadata": {CHARGE: charge.id, ORGANIZATION: charge.organization_id},
                },
                {"idempotency_key": f"{charge.id}:start"},
            )
        return made.id

    def find_item(self, charge_id: str) -> str | None:
        with _as_error_result():
            listed = self._client().v1.subscriptions.list(
                {"customer": self.settings.customer, "status": "all", "limit": PAGE}
            )
            for found in listed.auto_paging_iter():
                if found.metadata is not None and found.metadata.to_dict().get(CHARGE) == charge_id:
                    return found.id
        return None

    def end_item(self, item: str, charge_id: str) -> None:
        client = self._client()
        with _as_error_result():
            try:
                client.v1.subscriptions.cancel(
                    item,
                    {"prorate": True, "invoice_now": True},
                    {"idempotency_key": f"{charge_id}:end"},
                )
            except stripe.InvalidRequestError as error:
                if error.http_status != MISSING:
                    raise
                # Stripe answers so for what has ended already, but also to another account's key.
                if client.v1.subscriptions.retrieve(item).status not in ENDED:
                    raise

    def read_event(self, body: bytes, signature: str) -> Event | None:
        return read_event(body, signature, self.settings.webhook_secret)

    def close(self) -> None:
        self.http.close()

    def _client(self) -> stripe.StripeClient:
        return stripe.StripeClient(
            self.settings.secret_key,
            base_addresses={"api": self.settings.address},
            http_client=self.http,
            # Jobs repeat by themselves, with longer pauses.
            max_network_retries=0,
        )


@contextmanager
def _as_error_result() -> Iterator[None]:
    """Stripe's errors as ours: what asking again may mend, and what a person must."""
    try:
        yield
    except (stripe.APIConnectionError, stripe.RateLimitError) as error:
        raise PaymentsAwayError(f"Stripe did not answer: {type(error).__name__}.") from error
    except stripe.IdempotencyError as error:
        if error.http_status == IN_USE:
            raise PaymentsAwayError("Stripe is still at work on the same call.") from error
        raise PaymentsRejectedError(_words(error)) from error
    except stripe.AuthenticationError as error:
        raise PaymentsRejectedError(
            "Stripe does not take the secret key. Check VISUAL_REVIEW_STRIPE_SECRET_KEY."
        ) from error
    except (stripe.InvalidRequestError, stripe.PermissionError, stripe.CardError) as error:
        raise PaymentsRejectedError(_words(error)) from error
    except stripe.StripeError as error:
        raise PaymentsAwayError(
            f"Stripe answered with status {error.http_status or 'unknown'}."
        ) from error


def _words(error: stripe.StripeError) -> str:
    return f"Stripe refused: {(error.user_message or 'it gave no reason')[:500]}"
