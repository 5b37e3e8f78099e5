"""Tracks the requests of a page that have no response yet."""

import asyncio
from http import HTTPStatus

from playwright.async_api import Page, Request, Response

# These connections stay open by design, so waiting for their end is pointless.
ENDLESS = frozenset({"eventsource", "websocket", "ping"})
MAX_URLS = 3


class Traffic:
    """Tracks all requests of ``page``."""

    def __init__(self, page: Page) -> None:
        self._pending: set[Request] = set()
        self._missing: list[str] = []
        self._idle = asyncio.Event()
        self._idle.set()
        page.on("request", self._on_request)
        page.on("requestfinished", self._on_request_end)
        page.on("requestfailed", self._on_request_end)
        page.on("response", self._on_response)

    @property
    def pending(self) -> list[str]:
        """The first few URLs without a response."""
        return sorted(request.url for request in self._pending)[:MAX_URLS]

    @property
    def missing(self) -> list[str]:
        """The first few URLs that were not found."""
        return self._missing

    def reset(self) -> None:
        """Ignore all requests so far."""
        # A pending request of an earlier story must not delay this one.
        self._pending.clear()
        self._idle.set()

    async def wait_until_idle(self, seconds: float) -> None:
        """Return when all requests have a response, at the latest after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return

    def _on_request(self, request: Request) -> None:
        if request.resource_type not in ENDLESS:
            self._pending.add(request)
            self._idle.clear()

    def _on_request_end(self, request: Request) -> None:
        self._pending.discard(request)
        if not self._pending:
            self._idle.set()

    def _on_response(self, response: Response) -> None:
        if response.status == HTTPStatus.NOT_FOUND and len(self._missing) < MAX_URLS:
            self._missing.append(response.url)
