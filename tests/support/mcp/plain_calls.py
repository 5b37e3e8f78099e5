"""Calls of a running server's MCP endpoint, one request each, without any client library."""

from dataclasses import dataclass
from typing import Any, Final

import httpx

VERSION: Final = "2025-11-25"
SECONDS: Final = 60


@dataclass(frozen=True)
class PlainCalls:
    """Calls with one API key."""

    url: str
    key: str

    def list_tools(self) -> list[str]:
        return [tool["name"] for tool in self._ask("tools/list", {})["tools"]]

    def read(self, tool: str, **arguments: object) -> str:
        """Return everything that a model reads of the result, errors included."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        response = httpx.post(
            f"{self.url}/api/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={
                "Authorization": f"Bearer {self.key}",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": VERSION,
            },
            timeout=SECONDS,
        )
        assert response.is_success, response.text
        document = response.json()
        assert "result" in document, document
        found: dict[str, Any] = document["result"]
        return found
