"""Webhook deliveries of the provider in memory: an event as JSON, signed as at GitHub."""

from collections.abc import Mapping
from typing import Final

from pydantic import TypeAdapter, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import (
    get_header,
    hmac_sha256,
    is_hmac_sha256,
    require_signature,
)

SIGNATURE: Final = "X-Memory-Signature"
_EVENTS: Final = TypeAdapter(Event)


class MemoryWebhookReader:
    def verify_signature(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        require_signature(get_header(headers, SIGNATURE), hmac_sha256(body, secret), secret)

    def may_be_genuine(self, headers: Mapping[str, str], secret: str) -> bool:  # noqa: ARG002 - The body is signed.
        return is_hmac_sha256(get_header(headers, SIGNATURE))

    def parse_event(self, headers: Mapping[str, str], body: bytes) -> Event | None:  # noqa: ARG002 - The body has everything.
        try:
            return _EVENTS.validate_json(body)
        except ValidationError as error:
            raise HostResponseError("The delivery contains no known event.") from error


def sign_delivery(event: Event, secret: str) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of the world's webhook for an event."""
    body = _EVENTS.dump_json(event)
    headers = {SIGNATURE: hmac_sha256(body, secret), "Content-Type": "application/json"}
    return headers, body
