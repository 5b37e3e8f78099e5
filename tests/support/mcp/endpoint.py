"""The MCP endpoint within a test's own transaction, spoken to by plain messages of both eras."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from django.conf import settings
from django.db import connections

from visual_review.api.mcp.endpoint import McpEndpoint

Era = Literal["2025-11-25", "2026-07-28"]
ERAS: tuple[Era, ...] = ("2025-11-25", "2026-07-28")
PATH = "/api/mcp"
NAMES = {"tools/call": "name", "resources/read": "uri"}
# What the HTTP library would add by itself.
OWN_HEADERS = {"accept", "accept-encoding", "connection", "user-agent"}
Headers = Mapping[str, str] | Sequence[tuple[str, str]]


@dataclass
class Endpoint:
    """``/api/mcp``, asked over ASGI; its one database thread shares the test's connection."""

    portal: BlockingPortal
    http: httpx.AsyncClient

    def send(
        self,
        body: bytes,
        headers: Headers = (),
        method: str = "POST",
        path: str = PATH,
    ) -> httpx.Response:
        """Any request at all, with these headers and those of its host and length alone."""
        given = httpx.Headers(headers)
        request = self.http.build_request(method, path, content=body, headers=given)
        for name in OWN_HEADERS - given.keys():
            request.headers.pop(name, None)

        async def asked() -> httpx.Response:
            return await self.http.send(request)

        return self.portal.call(asked)

    def ask(
        self,
        key: str | None,
        method: str,
        params: Mapping[str, Any] | None = None,
        era: Era = "2025-11-25",
        **headers: str,
    ) -> httpx.Response:
        """A well-formed request of one era, as an SDK would send it."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params_of(params, era)}
        sent = {**headers_of(key, method, params or {}, era), **headers}
        return self.send(json.dumps(message).encode(), sent)

    def result(
        self,
        key: str,
        method: str,
        params: Mapping[str, Any] | None = None,
        era: Era = "2025-11-25",
    ) -> dict[str, Any]:
        answer = self.ask(key, method, params, era)
        assert answer.status_code == 200, answer.text
        document = answer.json()
        assert "result" in document, document
        return dict(document["result"])

    def call(
        self, key: str, tool: str, arguments: Mapping[str, Any], era: Era = "2025-11-25"
    ) -> dict[str, Any]:
        """The result of ``tools/call``, an error of the tool included."""
        return self.result(key, "tools/call", {"name": tool, "arguments": arguments}, era)


def params_of(params: Mapping[str, Any] | None, era: Era) -> dict[str, Any]:
    given = dict(params or {})
    if era == "2025-11-25":
        return given
    meta = {
        "io.modelcontextprotocol/protocolVersion": era,
        "io.modelcontextprotocol/clientInfo": {"name": "Test Robot", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {**given, "_meta": meta}


def headers_of(key: str | None, method: str, params: Mapping[str, Any], era: Era) -> dict[str, str]:
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": era,
        "User-Agent": "test-robot/1.0",
    }
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    if era == "2026-07-28":
        headers["Mcp-Method"] = method
        if method in NAMES:
            headers["Mcp-Name"] = str(params[NAMES[method]])
    return headers


@contextmanager
def open_endpoint() -> Iterator[Endpoint]:
    """The endpoint, for one test."""
    door = McpEndpoint(settings.PUBLIC_URL, threads=1)
    shared = connections["default"]
    shared.inc_thread_sharing()
    # It would be closed between two calls, since the test's transaction is still open in it.
    shared.close_if_unusable_or_obsolete = lambda: None
    try:
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(door.run()):
            for threads in (door.threads, door.drawing):
                portal.call(threads.run, _share, shared)
            transport = httpx.ASGITransport(door)
            http = httpx.AsyncClient(transport=transport, base_url=settings.PUBLIC_URL)
            with portal.wrap_async_context_manager(http):
                yield Endpoint(portal, http)
    finally:
        del shared.close_if_unusable_or_obsolete
        shared.dec_thread_sharing()


def _share(shared: Any) -> None:  # noqa: ANN401 - Django's own wrapper type.
    connections["default"] = shared
