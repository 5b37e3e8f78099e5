"""The MCP endpoint within a test's own transaction, with plain messages of both versions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from django.conf import settings
from django.db import connections

from visual_review.api.mcp.endpoint import McpEndpoint
from visual_review.config.http.threads import RequestThreads

ProtocolVersion = Literal["2025-11-25", "2026-07-28"]
PROTOCOL_VERSIONS: tuple[ProtocolVersion, ...] = ("2025-11-25", "2026-07-28")
PATH = "/api/mcp"
NAMES = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
# Headers that the HTTP library would add by itself.
OWN_HEADERS = {"accept", "accept-encoding", "connection", "user-agent"}
Headers = Mapping[str, str] | Sequence[tuple[str, str]]


@dataclass
class Endpoint:
    """``/api/mcp`` over ASGI; the one database thread shares the test's connection."""

    portal: BlockingPortal
    http: httpx.AsyncClient

    def send(
        self,
        body: bytes,
        headers: Headers = (),
        method: str = "POST",
        path: str = PATH,
    ) -> httpx.Response:
        """Send any request, with only the given headers and the headers for host and length."""
        given = httpx.Headers(headers)
        request = self.http.build_request(method, path, content=body, headers=given)
        for name in OWN_HEADERS - given.keys():
            request.headers.pop(name, None)

        async def send() -> httpx.Response:
            return await self.http.send(request)

        return self.portal.call(send)

    def ask(
        self,
        key: str | None,
        method: str,
        params: Mapping[str, Any] | None = None,
        version: ProtocolVersion = "2025-11-25",
        query: str = "",
        **headers: str,
    ) -> httpx.Response:
        """Send a well-formed request of one protocol version, as an SDK would."""
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": params_of(params, version),
        }
        sent = {**headers_of(key, method, params or {}, version), **headers}
        return self.send(json.dumps(message).encode(), sent, path=PATH + query)

    def result(
        self,
        key: str,
        method: str,
        params: Mapping[str, Any] | None = None,
        version: ProtocolVersion = "2025-11-25",
    ) -> dict[str, Any]:
        response = self.ask(key, method, params, version)
        assert response.status_code == 200, response.text
        document = response.json()
        assert "result" in document, document
        return dict(document["result"])

    def call(
        self,
        key: str,
        tool: str,
        arguments: Mapping[str, Any],
        version: ProtocolVersion = "2025-11-25",
    ) -> dict[str, Any]:
        """Return the result of ``tools/call``, errors included."""
        return self.result(key, "tools/call", {"name": tool, "arguments": arguments}, version)


def params_of(params: Mapping[str, Any] | None, version: ProtocolVersion) -> dict[str, Any]:
    given = dict(params or {})
    if version == "2025-11-25":
        return given
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "Test Robot", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {**given, "_meta": meta}


def headers_of(
    key: str | None, method: str, params: Mapping[str, Any], version: ProtocolVersion
) -> dict[str, str]:
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
        "User-Agent": "test-robot/1.0",
    }
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    if version == "2026-07-28":
        headers["Mcp-Method"] = method
        if method in NAMES:
            headers["Mcp-Name"] = str(params[NAMES[method]])
    return headers


@contextmanager
def open_endpoint() -> Iterator[Endpoint]:
    """Open the endpoint for one test."""
    threads = RequestThreads(1)
    mcp = McpEndpoint(settings.PUBLIC_URL, threads)
    shared = connections["default"]
    shared.inc_thread_sharing()
    # The connection would be closed between two calls, within the test's open transaction.
    shared.close_if_unusable_or_obsolete = lambda: None
    try:
        with start_blocking_portal() as portal:
            portal.call(threads.run, "", partial(_share, shared))
            transport = httpx.ASGITransport(mcp)
            http = httpx.AsyncClient(transport=transport, base_url=settings.PUBLIC_URL)
            with portal.wrap_async_context_manager(http):
                yield Endpoint(portal, http)
    finally:
        threads.close()
        del shared.close_if_unusable_or_obsolete
        shared.dec_thread_sharing()


def _share(shared: Any) -> None:  # noqa: ANN401 - Django's own wrapper type.
    connections["default"] = shared
