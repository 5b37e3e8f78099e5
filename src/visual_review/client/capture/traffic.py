"""Tracks the requests of a page without a response so far."""

import asyncio
from http import HTTPStatus
from typing import Any

from visual_review.client.capture.devtools import Session

# These connections stay open by design, so waiting for their end is pointless.
ENDLESS = frozenset({"EventSource", "WebSocket", "Ping", "CSPViolationReport"})
MAX_URLS = 3
Request = tuple[str | None, str]


class Traffic:
    """Tracks all requests of the watched targets: a page and its frames."""

    def __init__(self) -> None:
        self.document_status: int | None = None
        # How many requests were sent.
        self.sent = 0
        self._pending: dict[Request, str] = {}
        self._missing: list[str] = []
        self._workers: set[str] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def watch(self, session: Session) -> None:
        """Follow the requests of ``session``, whose ``Network`` domain must be enabled."""
        session.on("Network.requestWillBeSent", lambda event: self._on_request(session, event))
        for name in ("Network.loadingFinished", "Network.loadingFailed"):
            session.on(name, lambda event: self._on_end(session, event))
        session.on("Network.responseReceived", self._on_response)

    @property
    def pending(self) -> list[str]:
        """The first few URLs without a response."""
        return sorted(self._pending.values())[:MAX_URLS]

    @property
    def missing(self) -> list[str]:
        """The first few URLs not found."""
        return self._missing

    def reset(self) -> None:
        """Ignore all requests so far."""
        # A pending request of an earlier story must not delay the next story.
        self._pending.clear()
        self._idle.set()

    def ignore_worker(self, url: str) -> None:
        """Forget the script of a worker, since only the worker hears when it has loaded."""
        self._workers.add(url)
        for request in [each for each, pending in self._pending.items() if pending == url]:
            self._end(request)

    async def wait_until_idle(self, seconds: float) -> None:
        """Return when all requests have a response, at the latest after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return

    def _on_request(self, session: Session, event: dict[str, Any]) -> None:
        self.sent += 1
        url = event["request"]["url"]
        if event.get("type") not in ENDLESS and url not in self._workers:
            self._pending[session.id, event["requestId"]] = url
            self._idle.clear()

    def _on_end(self, session: Session, event: dict[str, Any]) -> None:
        self._end((session.id, event["requestId"]))

    def _end(self, request: Request) -> None:
        self._pending.pop(request, None)
        if not self._pending:
            self._idle.set()

    def _on_response(self, event: dict[str, Any]) -> None:
        status = event["response"]["status"]
        if event.get("type") == "Document" and self.document_status is None:
            self.document_status = status
        if status == HTTPStatus.NOT_FOUND and len(self._missing) < MAX_URLS:
            self._missing.append(event["response"]["url"])
