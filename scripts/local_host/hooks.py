"""Webhooks: what the world tells is signed and sent, or held until a test asks for it."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from scripts.local_host import shapes
from visual_review.hosts.memory import MemoryWorld
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import hmac_sha256

SEND_SECONDS: Final = 30


@dataclass
class Delivery:
    """``answers`` are the statuses it got, one for each time it was sent; 0 where none came."""

    id: str
    event: str
    body: dict[str, Any]
    answers: list[int] = field(default_factory=list)


class Hooks:
    """One webhook for the whole host, as an administrator sets it; none until ``point``."""

    def __init__(self, world: MemoryWorld, address: str) -> None:
        self._world = world
        self._address = address
        self._url = ""
        self._secret = ""
        self._authorize = False
        self.deliveries: list[Delivery] = []

    def point(self, url: str, secret: str, *, hold: bool = False) -> None:
        """Send to ``url`` from now on; with ``hold`` only what ``send`` names."""
        self._url, self._secret, self._authorize = url, secret, hold

    async def tell(self) -> None:
        """Note what happened in the world, and send it."""
        for told in self._world.take_events():
            shape = shapes.event(told, self._repository(told), self._address)
            if shape is None:
                continue
            delivery = Delivery(str(uuid.uuid4()), *shape)
            self.deliveries.append(delivery)
            if self._url and not self._authorize:
                await self.send(delivery.id)

    async def send(self, delivery_id: str) -> int:
        """Send it, again if need be, and return the status of the answer."""
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
                answer = await client.post(self._url, content=body, headers=headers)
                status = answer.status_code
            except httpx.TransportError:
                status = 0
        delivery.answers.append(status)
        return status

    def _repository(self, told: Event) -> dict[str, Any]:
        """As it is now; what the event says of one that is gone."""
        with self._world.held() as state:
            stored = state.repositories.get(told.repository_id)
        branch = stored.seen.default_branch if stored else "main"
        return {
            "id": int(told.repository_id),
            "full_name": told.full_name,
            "default_branch": branch,
        }
