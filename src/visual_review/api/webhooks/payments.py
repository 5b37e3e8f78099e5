"""``POST /api/webhooks/payments``: the events of the payment provider about charges."""

from typing import Final

from django.http import HttpRequest, HttpResponse

from visual_review.api.errors import api_endpoint
from visual_review.api.json_bodies import read_bytes
from visual_review.billing.provider_sync import record_provider_event
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.payments.factory import open_payments
from visual_review.payments.port import EventInvalidError

LIMIT: Final = 512 * 1024
SIGNATURE: Final = "Stripe-Signature"


@api_endpoint("POST")
def receive_payment_event(request: HttpRequest) -> HttpResponse:
    """Return 200 also for events without effect, or the provider would send the events again."""
    body = read_bytes(request, LIMIT)
    with open_payments() as payments:
        if payments is None:
            raise NotFoundError("No payment provider is configured.")
        try:
            event = payments.read_event(body, request.headers.get(SIGNATURE, ""))
        except EventInvalidError as error:
            raise InvalidInputError(str(error)) from error
    if event is not None:
        record_provider_event(event.item, event.at, event.message, ended=event.kind == "ended")
    return HttpResponse(status=200)
