"""What people copy to connect an MCP client to this installation; pure.

Sources: the clients' own documentation of remote servers over streamable HTTP. No example holds
a key: it comes from an environment variable, or from the client's own question.
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
    """A command, or the part of ``file`` that names this installation."""

    id: str
    code: str
    file: str = ""


def snippets(endpoint: str) -> dict[str, Snippet]:
    """By name: a client's, with ``_key`` for the way with an API key."""
    found = (*_commands(endpoint), *_files(endpoint), *_bridge(endpoint))
    return {each.id.replace("-", "_"): each for each in found}


def is_unprotected(endpoint: str) -> bool:
    """Whether keys would travel readable; several clients refuse such an address."""
    parts = urlsplit(endpoint)
    return parts.scheme == "http" and parts.hostname not in LOOPBACK


def _commands(endpoint: str) -> tuple[Snippet, ...]:
    ask = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
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
            f"  --data '{ask}'",
        ),
    )


def _files(endpoint: str) -> tuple[Snippet, ...]:
    cursor, code = ".cursor/mcp.json", ".vscode/mcp.json"
    return (
        _servers(
            "claude-code-key", ".mcp.json", {"type": "http", "url": endpoint, **_header("${%s}")}
        ),
        _servers("cursor", cursor, {"url": endpoint}),
        _servers("cursor-key", cursor, {"url": endpoint, **_header("${env:%s}")}),
        _json("vscode", code, {"servers": {NAME: {"type": "http", "url": endpoint}}}),
        _json("vscode-key", code, _vscode_with_question(endpoint)),
        Snippet(
            "codex-key",
            f'[mcp_servers.{NAME}]\nurl = "{endpoint}"\nbearer_token_env_var = "{VARIABLE}"',
            "~/.codex/config.toml",
        ),
        _servers(
            "gemini-key", "~/.gemini/settings.json", {"httpUrl": endpoint, **_header("${%s}")}
        ),
    )


def _bridge(endpoint: str) -> tuple[Snippet, ...]:
    """mcp-remote, for clients that only start programs."""
    start = ["-y", "mcp-remote", endpoint]
    if is_unprotected(endpoint):
        start.append("--allow-http")
    # Some clients split arguments at blanks, so the word before the key goes by the variable.
    header = ["--header", "Authorization:${AUTHORIZATION}"]
    variables = {"AUTHORIZATION": "Bearer <API key>"}
    return (
        _servers("bridge", "", {"command": "npx", "args": start}),
        _servers("bridge-key", "", {"command": "npx", "args": [*start, *header], "env": variables}),
    )


def _header(variable: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {variable % VARIABLE}"}}


def _vscode_with_question(endpoint: str) -> dict[str, Any]:
    question = {
        "type": "promptString",
        "id": "review-api-key",
        "description": "API key of Visual Review",
        "password": True,
    }
    headers = {"Authorization": "Bearer ${input:review-api-key}"}
    server = {"type": "http", "url": endpoint, "headers": headers}
    return {"inputs": [question], "servers": {NAME: server}}


def _servers(name: str, file: str, server: dict[str, Any]) -> Snippet:
    return _json(name, file, {"mcpServers": {NAME: server}})


def _json(name: str, file: str, value: dict[str, Any]) -> Snippet:
    return Snippet(name, json.dumps(value, indent=2), file)
