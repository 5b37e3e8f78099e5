"""Signing in by the Python SDK: a program with the protocol of tests/mcp_clients/sign_in.mjs."""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import anyio.to_thread
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from mcp_types import Implementation

LONG_AGO = 1.0
POLL_SECONDS = 0.05
Command = Mapping[str, Any]


def send_event(**event: object) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


class Listener(HTTPServer):
    """Receives the response of the sign-in."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Callback)
        self.responses: Queue[dict[str, str]] = Queue()
        Thread(target=self.serve_forever, args=[POLL_SECONDS], daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/callback"

    async def open(self, url: str) -> None:
        send_event(open=url)

    async def response(self) -> AuthorizationCodeResult:
        found = await anyio.to_thread.run_sync(self.responses.get)
        if "error" in found:
            raise PermissionError(found["error"])
        return AuthorizationCodeResult(**found)


class _Callback(BaseHTTPRequestHandler):
    server: Listener

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.send_response(200)
        self.end_headers()
        # A browser asks for more than the callback, such as an icon.
        if parts.path == "/callback":
            self.server.responses.put({name: v[0] for name, v in parse_qs(parts.query).items()})

    def log_message(self, *words: object) -> None:
        pass


class Store:
    """Stores the credentials handed over by the SDK."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Program:
    """The commands; each method is one."""

    def __init__(self, given: Mapping[str, Any], stack: AsyncExitStack) -> None:
        self.name = f"test-{given['client']}"
        self.endpoint = given["endpoint"]
        self.stack = stack

    async def start(self, command: Command) -> None:
        """A client that has never been here; an earlier client's stored credentials are gone."""
        await self.stack.aclose()
        listener = Listener()
        self.stack.callback(listener.server_close)
        self.stack.callback(listener.shutdown)
        self.store = Store()
        self.sign_in = OAuthClientProvider(
            self.endpoint,
            OAuthClientMetadata(client_name=self.name, redirect_uris=[listener.url]),
            self.store,
            listener.open,
            listener.response,
            command["document"],
        )

    async def connect(self, _command: Command) -> str:
        http = await self.stack.enter_async_context(create_mcp_http_client(auth=self.sign_in))
        transport = streamable_http_client(self.endpoint, http_client=http)
        identity = Implementation(name=self.name, version="1.0.0")
        self.client = await self.stack.enter_async_context(Client(transport, client_info=identity))
        return "connected"

    async def tools(self, _command: Command) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, command: Command) -> dict[str, Any]:
        result = await self.client.call_tool(command["tool"], command["arguments"])
        return result.model_dump(mode="json", by_alias=True)

    async def expire(self, _command: Command) -> None:
        self.sign_in.context.token_expiry_time = LONG_AGO

    async def stored(self, _command: Command) -> dict[str, Any]:
        assert self.store.tokens is not None
        assert self.store.client is not None
        tokens, client = self.store.tokens, self.store.client
        return {**tokens.model_dump(mode="json"), **client.model_dump(mode="json")}


async def follow(given: Mapping[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        program = Program(given, stack)
        commands = {
            "start": program.start,
            "connect": program.connect,
            "tools": program.tools,
            "call": program.call,
            "expire": program.expire,
            "stored": program.stored,
        }
        async for line in anyio.wrap_file(sys.stdin):
            command = json.loads(line)
            try:
                send_event(result=await commands[command["do"]](command))
            except Exception as error:  # noqa: BLE001 - What a client raises is for the test to read.
                send_event(failed=_describe(error))


def _describe(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(_describe(each) for each in error.exceptions)
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    try:
        anyio.run(follow, json.loads(os.environ["CLIENT"]))
    except BaseExceptionGroup as ended:
        # The SDK ends its connection when a sign-in fails.
        send_event(failed=_describe(ended))
