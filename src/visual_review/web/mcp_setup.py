"""Examples to copy, for connecting an MCP client to this server; pure.

Sources: the clients' documentation of remote servers over Streamable HTTP. No example contains a
key: the key comes from an environment variable, or the client asks for the key.
"""

import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

NAME: Final = "visual-review"
VARIABLE: Final = "REVIEW_API_KEY"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Snippet:
    """A command, or the part of ``file`` with the configuration of this server."""

    id: str
    code: str
    file: str = ""


def create_snippets(endpoint: str) -> dict[str, Snippet]:
    """Return the examples by client name, with the suffix ``_key`` for examples with an API key."""
    found = (*_command_snippets(endpoint), *_file_snippets(endpoint), *_bridge_snippets(endpoint))
    return {each.id.replace("-", "_"): each for each in found}


def is_unprotected(endpoint: str) -> bool:
    """Whether keys would be sent unencrypted; several clients refuse such a URL."""
    parts = urlsplit(endpoint)
    return parts.scheme == "http" and parts.hostname not in LOOPBACK


def _command_snippets(endpoint: str) -> tuple[Snippet, ...]:
    request = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    return (
        Snippet("claude-code", f"claude mcp add --transport http {NAME} {endpoint}"),
        Snippet("codex", f"codex mcp add --url {endpoint} {NAME}\ncodex mcp login {NAME}"),
        Snippet("gemini", f"gemini mcp add --transport http --scope user {NAME} {endpoint}"),
        Snippet(
            "other-key",
            f"curl {endpoint} \\\n"
            f'  --header "Authorization: Bearer ${VARIABLE}" \\\n'
            "  --header 'Content-Type: application/json' \\\n"
            "  --header 'Accept: application/json, text/event-stream' \\\n"
            f"  --data '{request}'",
        ),
    )


def _file_snippets(endpoint: str) -> tuple[Snippet, ...]:
    cursor, code = ".cursor/mcp.json", ".vscode/mcp.json"
    return (
        _servers_snippet(
            "claude-code-key",
            ".mcp.json",
            {"type": "http", "url": endpoint, **_authorization_header("${%s}")},
        ),
        _servers_snippet("cursor", cursor, {"url": endpoint}),
        _servers_snippet(
            "cursor-key", cursor, {"url": endpoint, **_authorization_header("${env:%s}")}
        ),
        _json_snippet("vscode", code, {"servers": {NAME: {"type": "http", "url": endpoint}}}),
        _json_snippet("vscode-key", code, _vscode_with_prompt(endpoint)),
        Snippet(
            "codex-key",
            f'[mcp_servers.{NAME}]\nurl = "{endpoint}"\nbearer_token_env_var = "{VARIABLE}"',
            "~/.codex/config.toml",
        ),
        _servers_snippet(
            "gemini-key",
            "~/.gemini/settings.json",
            {"httpUrl": endpoint, **_authorization_header("${%s}")},
        ),
    )


def _bridge_snippets(endpoint: str) -> tuple[Snippet, ...]:
    """Return the examples with mcp-remote, for clients that only start programs."""
    start = ["-y", "mcp-remote", endpoint]
    if is_unprotected(endpoint):
        start.append("--allow-http")
    # Some clients split arguments at spaces, so the variable also contains the scheme.
    header = ["--header", "Authorization:${AUTHORIZATION}"]
    variables = {"AUTHORIZATION": "Bearer <API key>"}
    return (
        _servers_snippet("bridge", "", {"command": "npx", "args": start}),
        _servers_snippet(
            "bridge-key", "", {"command": "npx", "args": [*start, *header], "env": variables}
        ),
    )


def _authorization_header(variable: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {variable % VARIABLE}"}}


def _vscode_with_prompt(endpoint: str) -> dict[str, Any]:
    prompt = {
        "type": "promptString",
        "id": "review-api-key",
        "description": "API key for Visual Review",
        "password": True,
    }
    headers = {"Authorization": "Bearer ${input:review-api-key}"}
    server = {"type": "http", "url": endpoint, "headers": headers}
    return {"inputs": [prompt], "servers": {NAME: server}}


def _servers_snippet(name: str, file: str, server: dict[str, Any]) -> Snippet:
    return _json_snippet(name, file, {"mcpServers": {NAME: server}})


def _json_snippet(name: str, file: str, value: dict[str, Any]) -> Snippet:
    return Snippet(name, json.dumps(value, indent=2), file)
