"""Webhooks: events are signed and sent, or held until a test sends them."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from scripts.local_host import shapes
from scripts.local_host.memory import MemoryWorld
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import hmac_sha256

SEND_SECONDS: Final = 30


@dataclass
class Delivery:
    """``statuses`` are the status codes of the responses, one per attempt; 0 without a response."""

    id: str
    event: str
    body: dict[str, Any]
    statuses: list[int] = field(default_factory=list)


class Hooks:
    """One webhook for the whole host; ``point`` configures the webhook, like an administrator."""

    def __init__(self, world: MemoryWorld, address: str) -> None:
        self._world = world
        self._address = address
        self._url = ""
        self._secret = ""
        self._hold = False
        self.deliveries: list[Delivery] = []

    def point(self, url: str, secret: str, *, hold: bool = False) -> None:
        """Send to ``url`` from now on; with ``hold`` only on ``send``."""
        self._url, self._secret, self._hold = url, secret, hold

    async def deliver_events(self) -> None:
        """Record the new events of the world, and send the events."""
        for event in self._world.take_events():
            shape = shapes.event(event, self._repository(event), self._address)
            if shape is None:
                continue
            delivery = Delivery(str(uuid.uuid4()), *shape)
            self.deliveries.append(delivery)
            if self._url and not self._hold:
                await self.send(delivery.id)

    async def send(self, delivery_id: str) -> int:
        """Send a delivery, possibly again, and return the status code of the response."""
        [delivery] = [one for one in self.deliveries if one.id == delivery_id]
        body = json.dumps(delivery.body).encode()
        headers = {
            "Content-Type": "application/json",
            "X-Gitea-Event": delivery.event,
            "X-Gitea-Delivery": delivery.id,
            "X-Gitea-Signature": hmac_sha256(body, self._secret),
        }
        async with httpx.AsyncClient(timeout=SEND_SECONDS) as client:
            try:
                response = await client.post(self._url, content=body, headers=headers)
                status = response.status_code
            except httpx.TransportError:
                status = 0
        delivery.statuses.append(status)
        return status

    def _repository(self, event: Event) -> dict[str, Any]:
        """Return the present repository, or else the event's description of the repository."""
        with self._world.locked() as state:
            stored = state.repositories.get(event.repository_id)
        branch = stored.seen.default_branch if stored else "main"
        return {
            "id": int(event.repository_id),
            "full_name": event.full_name,
            "default_branch": branch,
        }
