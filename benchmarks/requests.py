"""One call, as the bytes of a request over each interface."""

import json
from dataclasses import dataclass
from typing import Any

ACCEPT = "Accept: application/json, text/event-stream"
OLDER, NEWER = "2025-11-25", "2026-07-28"
# Sent with every request in the newer protocol version, instead of one handshake.
META = {
    "io.modelcontextprotocol/protocolVersion": NEWER,
    "io.modelcontextprotocol/clientInfo": {"name": "bench-calls", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Call:
    action: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Caller:
    """The host of the calls, and the API key."""

    host: str
    key: str

    def rest(self, call: Call) -> bytes:
        return self.post(f"/api/rest/actions/{call.action}", call.arguments)

    def mcp_older(self, call: Call) -> bytes:
        """Return a call of 2025-11-25; a server without sessions accepts it without a handshake."""
        return self.post("/api/mcp", _message(call), ACCEPT, f"MCP-Protocol-Version: {OLDER}")

    def mcp_newer(self, call: Call) -> bytes:
        return self.post(
            "/api/mcp",
            _message(call, _meta=META),
            ACCEPT,
            f"MCP-Protocol-Version: {NEWER}",
            "Mcp-Method: tools/call",
            f"Mcp-Name: {call.action}",
        )

    def post(self, path: str, body: dict[str, Any], *headers: str) -> bytes:
        data = json.dumps(body).encode()
        lines = [
            f"POST {path} HTTP/1.1",
            f"Host: {self.host}",
            f"Authorization: Bearer {self.key}",
            "Content-Type: application/json",
            f"Content-Length: {len(data)}",
            *headers,
        ]
        return "\r\n".join([*lines, "", ""]).encode() + data


def _message(call: Call, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
    params = {"name": call.action, "arguments": call.arguments, **more}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
