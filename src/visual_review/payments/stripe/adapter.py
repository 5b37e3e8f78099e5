"""Stripe: a subscription with one item for each charge, all of one customer.

Separate subscriptions, because Stripe allows only 20 items in one. Each price is sent inline, so
prices are set in one place. Written for the version of Stripe's API pinned by the library,
https://docs.stripe.com/api/subscriptions.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import httpx
import stripe

from visual_review.kernel.connections import release_connection
from visual_review.payments.port import (
    Charge,
    Event,
    EventInvalidError,
    EventKind,
    PaymentsRejectedError,
    PaymentsUnavailableError,
)
from visual_review.payments.settings import StripeSettings

SECONDS: Final = 20.0
# The metadata keys at Stripe.
CHARGE: Final = "visual_review_charge"
ORGANIZATION: Final = "visual_review_organization"
PAGE: Final = 100
MISSING: Final = 404
IN_USE: Final = 409
# A subscription whose first invoice is not paid within a day expires and cannot be canceled.
ENDED: Final = frozenset({"canceled", "incomplete_expired"})
# Seconds, as Stripe recommends; an older event may be a replay.
TOLERANCE: Final = 300
KINDS: Final[dict[str, EventKind]] = {
    "customer.subscription.deleted": "ended",
    "invoice.payment_failed": "payment_failed",
    "invoice.paid": "paid",
}


class StripeHttpClient(stripe.HTTPClient):
    """Replaces the library's httpx client, which also opens an async client and never closes it."""

    name = "httpx"

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__()
        self._client = httpx.Client(timeout=seconds, follow_redirects=False)

    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,  # noqa: ANN401 - The library's signature.
        *,
        _usage: list[str] | None = None,
    ) -> tuple[str, int, Mapping[str, str]]:
        release_connection()
        try:
            response = self._client.request(method, url, headers=headers, content=post_data)
        except httpx.HTTPError as error:
            error_name = type(error).__name__
            raise stripe.APIConnectionError(error_name) from error  # type: ignore[no-untyped-call]
        return response.text, response.status_code, response.headers

    def close(self) -> None:
        self._client.close()


@dataclass(frozen=True)
class StripePayments:
    settings: StripeSettings
    http: StripeHttpClient = field(default_factory=StripeHttpClient)

    def start_item(self, charge: Charge) -> str:
        # Stripe forgets idempotency keys after a day; a job may be retried later.
        found = self.find_item(charge.id)
        if found is not None:
            return found
        with _translate_errors():
            created = self._client().v1.subscriptions.create(
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
        return created.id

    def find_item(self, charge_id: str) -> str | None:
        with _translate_errors():
            listed = self._client().v1.subscriptions.list(
                {"customer": self.settings.customer, "status": "all", "limit": PAGE}
            )
            for found in listed.auto_paging_iter():
                if found.metadata is not None and found.metadata.to_dict().get(CHARGE) == charge_id:
                    return found.id
        return None

    def end_item(self, item: str, charge_id: str) -> None:
        client = self._client()
        with _translate_errors():
            try:
                client.v1.subscriptions.cancel(
                    item,
                    {"prorate": True, "invoice_now": True},
                    {"idempotency_key": f"{charge_id}:end"},
                )
            except stripe.InvalidRequestError as error:
                if error.http_status != MISSING:
                    raise
                # Stripe also responds with this error to the key of another account.
                if client.v1.subscriptions.retrieve(item).status not in ENDED:
                    raise

    def read_event(self, body: bytes, signature: str) -> Event | None:
        return read_event(body, signature, self.settings.webhook_secret)

    def close(self) -> None:
        self.http.close()

    def _client(self) -> stripe.StripeClient:
        return stripe.StripeClient(
            self.settings.secret_key,
            base_addresses={"api": self.settings.api_url},
            http_client=self.http,
            # Jobs retry by themselves, with longer pauses.
            max_network_retries=0,
        )


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Convert Stripe's errors to ours: errors worth a retry, and errors for a person to fix."""
    try:
        yield
    except (stripe.APIConnectionError, stripe.RateLimitError) as error:
        raise PaymentsUnavailableError(
            f"Stripe did not respond: {type(error).__name__}."
        ) from error
    except stripe.IdempotencyError as error:
        if error.http_status == IN_USE:
            raise PaymentsUnavailableError("Stripe is still processing the same call.") from error
        raise PaymentsRejectedError(_rejection_message(error)) from error
    except stripe.AuthenticationError as error:
        raise PaymentsRejectedError(
            "Stripe does not accept the secret key. Check VISUAL_REVIEW_STRIPE_SECRET_KEY."
        ) from error
    except (stripe.InvalidRequestError, stripe.PermissionError, stripe.CardError) as error:
        raise PaymentsRejectedError(_rejection_message(error)) from error
    except stripe.StripeError as error:
        raise PaymentsUnavailableError(
            f"Stripe responded with status {error.http_status or 'unknown'}."
        ) from error


def _rejection_message(error: stripe.StripeError) -> str:
    return f"Stripe rejected the request: {(error.user_message or 'no reason given')[:500]}"


def read_event(body: bytes, signature: str, secret: str) -> Event | None:
    """Return the event of a subscription, None for others; raises EventInvalidError."""
    try:
        stripe.WebhookSignature.verify_header(body.decode(), signature, secret, TOLERANCE)
        document = json.loads(body)
    except (stripe.SignatureVerificationError, ValueError) as error:
        raise EventInvalidError(
            "The signature is missing, wrong or too old. Check VISUAL_REVIEW_STRIPE_WEBHOOK_SECRET "
            "and the server's clock."
        ) from error
    return _convert_event(document) if isinstance(document, dict) else None


def _convert_event(document: Mapping[str, Any]) -> Event | None:
    kind = KINDS.get(str(document.get("type")))
    stripe_object = document.get("data", {}).get("object")
    created = document.get("created")
    if kind is None or not isinstance(stripe_object, dict) or not isinstance(created, int):
        return None
    item = stripe_object.get("id") if kind == "ended" else _find_subscription(stripe_object)
    if not isinstance(item, str):
        return None
    return Event(
        kind, item, datetime.fromtimestamp(created, UTC), _event_message(kind, stripe_object)
    )


def _find_subscription(invoice: Mapping[str, Any]) -> object:
    # Newer versions of the API have the subscription below the invoice's parent.
    parent = invoice.get("parent") or {}
    details = parent.get("subscription_details") or {}
    return details.get("subscription") or invoice.get("subscription")


def _event_message(kind: EventKind, stripe_object: Mapping[str, Any]) -> str:
    if kind == "ended":
        return "Stripe canceled the subscription."
    if kind == "payment_failed":
        number = str(stripe_object.get("number") or stripe_object.get("id"))
        return f"Stripe could not collect invoice {number[:80]}."
    return ""
