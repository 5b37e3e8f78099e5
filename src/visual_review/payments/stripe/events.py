"""Stripe's webhooks: whether they are Stripe's, and what they say about a subscription."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import stripe

from visual_review.payments.port import Event, EventInvalidError, EventKind

# Seconds; Stripe's own advice. What is older may be a copy that somebody kept.
TOLERANCE: Final = 300
KINDS: Final[dict[str, EventKind]] = {
    "customer.subscription.deleted": "ended",
    "invoice.payment_failed": "payment_failed",
    "invoice.paid": "paid",
}


def read_event(body: bytes, signature: str, secret: str) -> Event | None:
    """What the event tells of a subscription, None for others; raises EventInvalidError."""
    try:
        stripe.WebhookSignature.verify_header(body.decode(), signature, secret, TOLERANCE)
        told = json.loads(body)
    except (stripe.SignatureVerificationError, ValueError) as error:
        raise EventInvalidError(
            "The signature is missing, wrong or too old. Check VISUAL_REVIEW_STRIPE_WEBHOOK_SECRET "
            "and the server's clock."
        ) from error
    return _event(told) if isinstance(told, dict) else None


def _event(told: Mapping[str, Any]) -> Event | None:
    kind = KINDS.get(str(told.get("type")))
    thing = told.get("data", {}).get("object")
    created = told.get("created")
    if kind is None or not isinstance(thing, dict) or not isinstance(created, int):
        return None
    item = thing.get("id") if kind == "ended" else _subscription_of(thing)
    if not isinstance(item, str):
        return None
    return Event(kind, item, datetime.fromtimestamp(created, UTC), _words(kind, thing))


def _subscription_of(invoice: Mapping[str, Any]) -> object:
    # Newer versions of the API name it below the invoice's parent.
    parent = invoice.get("parent") or {}
    details = parent.get("subscription_details") or {}
    return details.get("subscription") or invoice.get("subscription")


def _words(kind: EventKind, thing: Mapping[str, Any]) -> str:
    if kind == "ended":
        return "Stripe canceled the subscription."
    if kind == "payment_failed":
        return (
            f"Stripe could not collect invoice {str(thing.get('number') or thing.get('id'))[:80]}."
        )
    return ""
