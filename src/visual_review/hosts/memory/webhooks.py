"""Webhook deliveries of a host in memory: an event as JSON, signed as GitHub signs."""

from collections.abc import Mapping
from typing import Final

from pydantic import TypeAdapter, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import header, hmac_sha256, require_same

SIGNATURE: Final = "X-Memory-Signature"
_EVENTS: Final = TypeAdapter(Event)


class MemoryDeliveries:
    def check(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        require_same(header(headers, SIGNATURE), hmac_sha256(body, secret), secret)

    def read(self, headers: Mapping[str, str], body: bytes) -> Event | None:  # noqa: ARG002 - All is in the body.
        try:
            return _EVENTS.validate_json(body)
        except ValidationError as error:
            raise HostResponseError("The delivery tells no event that is known here.") from error


def signed_delivery(event: Event, secret: str) -> tuple[dict[str, str], bytes]:
    """The headers and the body a webhook of this world would send."""
    body = _EVENTS.dump_json(event)
    headers = {SIGNATURE: hmac_sha256(body, secret), "Content-Type": "application/json"}
    return headers, body
