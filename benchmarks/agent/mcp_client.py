"""An MCP client that counts the cost of each call."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import Implementation
from scripts.demo_folder import DemoError

from benchmarks.agent.costs import Reply, ReviewCosts, cost_of, read_reply
from visual_review.api.mcp.rendering.truncation import count_json_tokens, count_tokens

IDENTITY: Final = Implementation(name="scripted-reviewer", version="1.0")
SECONDS: Final = 300


class ReviewClient:
    """Calls tools of one connection, with the costs of all calls."""

    def __init__(self, client: Client, http: httpx2.AsyncClient) -> None:
        self._client = client
        self._bytes = 0
        self.costs = ReviewCosts()
        self.transcript: list[tuple[str, dict[str, Any], Reply]] = []
        http.event_hooks["response"].append(self._count_bytes)

    async def introduce(self) -> list[str]:
        """Count instructions and tools, as every client gives them to a model; return names."""
        listed = (await self._client.list_tools()).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )["tools"]
        self.costs.introduction = count_tokens(self._client.instructions or "")
        # Clients give the model no result schemas, only the parts needed for a call.
        shown = [
            {name: tool[name] for name in ("name", "description", "inputSchema")} for tool in listed
        ]
        self.costs.introduction += sum(map(count_json_tokens, shown))
        return [tool["name"] for tool in listed]

    async def call(self, tool: str, **arguments: Any) -> Reply:  # noqa: ANN401 - JSON.
        """Call the tool. Raises DemoError if the tool returns an error."""
        self._bytes, began = 0, time.perf_counter()
        answer = await self._client.call_tool(tool, arguments)
        seconds = time.perf_counter() - began
        result = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.costs.calls.append(cost_of(tool, arguments, result, self._bytes, seconds))
        reply = read_reply(result)
        if result.get("isError"):
            raise DemoError(f"{tool} returned an error: {reply.text}")
        self.transcript.append((tool, arguments, reply))
        return reply

    async def _count_bytes(self, response: httpx2.Response) -> None:
        self._bytes += len(await response.aread())


@asynccontextmanager
async def connect(url: str, key: str, tools: str = "review") -> AsyncIterator[ReviewClient]:
    """Connect to the service's MCP endpoint with the tools of a reviewer only."""
    bearer = {"Authorization": f"Bearer {key}"}
    async with create_mcp_http_client(headers=bearer, timeout=httpx2.Timeout(SECONDS)) as http:
        transport = streamable_http_client(f"{url}/api/mcp?tools={tools}", http_client=http)
        async with Client(transport, mode="auto", client_info=IDENTITY) as client:
            yield ReviewClient(client, http)
