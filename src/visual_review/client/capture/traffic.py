"""Knows which requests of a page have not been answered yet."""

import asyncio
from http import HTTPStatus

from playwright.async_api import Page, Request, Response

# These connections stay open by design, so nobody can wait for their end.
ENDLESS = frozenset({"eventsource", "websocket", "ping"})
KEPT_URLS = 3


class Traffic:
    """Listens to ``page`` from its beginning."""

    def __init__(self, page: Page) -> None:
        self._open: set[Request] = set()
        self._missing: list[str] = []
        self._quiet = asyncio.Event()
        self._quiet.set()
        page.on("request", self._started)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("response", self._answered)

    @property
    def waiting(self) -> list[str]:
        """Addresses that have not answered, the first few."""
        return sorted(request.url for request in self._open)[:KEPT_URLS]

    @property
    def missing(self) -> list[str]:
        """Addresses that were not found, the first few."""
        return self._missing

    def forget(self) -> None:
        """Wait no longer for what has been asked so far."""
        # A request that an earlier story left open must not hold up this one.
        self._open.clear()
        self._quiet.set()

    async def quiet(self, seconds: float) -> None:
        """Return once all is answered, after ``seconds`` in any case."""
        try:
            async with asyncio.timeout(seconds):
                await self._quiet.wait()
        except TimeoutError:
            return

    def _started(self, request: Request) -> None:
        if request.resource_type not in ENDLESS:
            self._open.add(request)
            self._quiet.clear()

    def _ended(self, request: Request) -> None:
        self._open.discard(request)
        if not self._open:
            self._quiet.set()

    def _answered(self, response: Response) -> None:
        if response.status == HTTPStatus.NOT_FOUND and len(self._missing) < KEPT_URLS:
            self._missing.append(response.url)
