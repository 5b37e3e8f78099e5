"""Stripe's webhooks: verifying the signature, and reading events of a subscription."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import stripe

from visual_review.payments.port import Event, EventInvalidError, EventKind

# Seconds, as Stripe recommends; an older event may be a replay.
TOLERANCE: Final = 300
KINDS: Final[dict[str, EventKind]] = {
    "customer.subscription.deleted": "ended",
    "invoice.payment_failed": "payment_failed",
    "invoice.paid": "paid",
}


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
