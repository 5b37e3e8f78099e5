"""Signing in by the Python SDK: a program that speaks as tests/mcp_clients/signing.mjs does."""

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
Command = Mapping[str, Any]


def tell(**event: object) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


class Listener(HTTPServer):
    """Receives the answer of the sign-in."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.answers: Queue[dict[str, str]] = Queue()
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/callback"

    async def open(self, address: str) -> None:
        tell(open=address)

    async def answer(self) -> AuthorizationCodeResult:
        found = await anyio.to_thread.run_sync(self.answers.get)
        if "error" in found:
            raise PermissionError(found["error"])
        return AuthorizationCodeResult(**found)


class _Answer(BaseHTTPRequestHandler):
    server: Listener

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.send_response(200)
        self.end_headers()
        # A browser asks for more than the answer, such as an icon.
        if parts.path == "/callback":
            self.server.answers.put({name: v[0] for name, v in parse_qs(parts.query).items()})

    def log_message(self, *words: object) -> None:
        pass


class Kept:
    """What the SDK hands over to be stored."""

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

    def __init__(self, errand: Mapping[str, Any], stack: AsyncExitStack) -> None:
        listener = Listener()
        self.name = f"test-{errand['client']}"
        self.address = errand["address"]
        self.kept = Kept()
        self.stack = stack
        self.sign_in = OAuthClientProvider(
            self.address,
            OAuthClientMetadata(client_name=self.name, redirect_uris=[listener.address]),
            self.kept,
            listener.open,
            listener.answer,
            errand.get("document"),
        )

    async def connect(self, _command: Command) -> str:
        http = await self.stack.enter_async_context(create_mcp_http_client(auth=self.sign_in))
        transport = streamable_http_client(self.address, http_client=http)
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

    async def kept_now(self, _command: Command) -> dict[str, Any]:
        assert self.kept.tokens is not None
        assert self.kept.client is not None
        tokens, client = self.kept.tokens, self.kept.client
        return {**tokens.model_dump(mode="json"), **client.model_dump(mode="json")}


async def follow(errand: Mapping[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        program = Program(errand, stack)
        does = {
            "connect": program.connect,
            "tools": program.tools,
            "call": program.call,
            "expire": program.expire,
            "kept": program.kept_now,
        }
        async for line in anyio.wrap_file(sys.stdin):
            command = json.loads(line)
            try:
                tell(told=await does[command["do"]](command))
            except Exception as error:  # noqa: BLE001 - What a client raises is for the test to read.
                tell(failed=_words(error))


def _words(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(_words(each) for each in error.exceptions)
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    try:
        anyio.run(follow, json.loads(os.environ["ERRAND"]))
    except BaseExceptionGroup as ended:
        # The SDK gives its connection up when a sign-in fails.
        tell(failed=_words(ended))
