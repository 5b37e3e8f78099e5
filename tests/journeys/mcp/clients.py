"""Clients that others wrote, each sent on the same errand: look at a build and decide on it.

Every client tells what it was answered as the protocol writes it, under the names of tests of
this package, so that one test can hold them all to the same.
"""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CallToolResult, Implementation
from pydantic import BaseModel
from scripts.setup_node import MCP_CLIENTS
from scripts.setup_tools import find_node

CLIENT_SECONDS: Final = 60
INSPECTOR: Final = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
BRIDGE: Final = "mcp-remote/dist/proxy.js"
# The inspector's exit code for a result with isError.
REFUSED: Final = 5

Visit = dict[str, Any]

# Looking for it starts it.
node = cache(find_node)


@dataclass(frozen=True)
class Errand:
    """Who goes where, and looks at which story of which build; ``home`` is a folder to use."""

    client: str
    address: str
    key: str
    build: str
    story: str
    home: Path

    @property
    def comment(self) -> str:
        return f"Too dark, says {self.client}."

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home)}


Send = Callable[[Errand], Visit]


def python_sdk(mode: str) -> Send:
    """The Python SDK; ``mode`` is legacy, auto or a version."""

    async def visit(errand: Errand) -> Visit:
        bearer = {"Authorization": f"Bearer {errand.key}"}
        async with create_mcp_http_client(headers=bearer) as http:
            transport = streamable_http_client(errand.address, http_client=http)
            identity = Implementation(name=f"test-{errand.client}", version="1.0.0")
            async with Client(transport, mode=mode, client_info=identity) as client:
                return await _run(client, errand)

    return lambda errand: anyio.run(visit, errand)


def mcp_remote(*flags: str) -> Send:
    """The bridge for clients that start programs only, as the Python SDK starts it."""

    async def visit(errand: Errand) -> Visit:
        program = StdioServerParameters(
            command=str(node() / "node"),
            args=[
                *(str(MCP_CLIENTS.installed / BRIDGE), errand.address, "--transport", "http-only"),
                *("--header", "Authorization:${BEARER}", "--silent", *flags),
            ],
            env={**errand.environment, "BEARER": f"Bearer {errand.key}"},
        )
        identity = Implementation(name=f"test-{errand.client}", version="1.0.0")
        async with Client(program, mode="legacy", client_info=identity) as client:
            return await _run(client, errand)

    return lambda errand: anyio.run(visit, errand)


def typescript_sdk(program: str, mode: str = "") -> Send:
    def visit(errand: Errand) -> Visit:
        told = {
            "client": errand.client,
            "address": errand.address,
            "key": errand.key,
            "buildId": errand.build,
            "storyId": errand.story,
            "comment": errand.comment,
            "mode": {"pin": mode} if mode.startswith("20") else mode,
        }
        environment = {**errand.environment, "ERRAND": json.dumps(told)}
        done = _node([str(MCP_CLIENTS.folder / program)], environment)
        assert done.returncode == 0, done.stderr
        visited: Visit = json.loads(done.stdout)
        return visited

    return visit


def inspector(era: str) -> Send:
    """The inspector's command line, one process a request; ``era`` is legacy or modern."""

    def visit(errand: Errand) -> Visit:
        ask = Inspector(errand, era)
        build = ask.call("get_build", {"buildId": errand.build})
        templates = ask.ask("resources/templates/list")["resourceTemplates"]
        return {
            "protocol": ask.ask("initialize")["protocolVersion"],
            "tools": ask.ask("tools/list", "--strict")["tools"],
            "resourceTemplates": templates,
            "repositories": ask.call("list_repos", {}),
            "build": build,
            "picture": ask.ask("resources/read", "--uri", link(build)),
            "refusal": ask.call("get_build", {"buildId": "build_of_nobody"}, codes=(REFUSED,)),
            # It looks into its list itself, and does not ask for a tool that is not there.
            "unknown": None,
            "decision": ask.call("review_screenshot", decision(errand, build)),
        }

    return visit


@dataclass(frozen=True)
class Inspector:
    errand: Errand
    era: str

    def call(
        self, tool: str, arguments: Mapping[str, Any], codes: tuple[int, ...] = (0,)
    ) -> dict[str, Any]:
        words = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self.ask("tools/call", *words, codes=codes)

    def ask(self, method: str, *words: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        """The result; whatever the inspector complains about fails the test."""
        bearer = f"Authorization: Bearer {self.errand.key}"
        command = [
            *(str(MCP_CLIENTS.installed / INSPECTOR), "--cli", self.errand.address),
            *("--transport", "http", "--header", bearer, "--protocol-era", self.era),
            *("--format", "json", "--method", method, *words),
        ]
        done = _node(command, self.errand.environment)
        assert done.returncode in codes, done.stdout + done.stderr
        assert "Warning" not in done.stderr, done.stderr
        result: dict[str, Any] = json.loads(done.stdout)["result"]
        return result


def _node(words: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(node() / "node"), *words],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=CLIENT_SECONDS,
        check=False,
    )


async def _run(client: Client, errand: Errand) -> Visit:
    build = _written(await client.call_tool("get_build", {"buildId": errand.build}))
    bad = {"buildId": "build_of_nobody"}
    return {
        "protocol": client.protocol_version,
        "tools": _written(await client.list_tools())["tools"],
        "resourceTemplates": _written(await client.list_resource_templates())["resourceTemplates"],
        "repositories": _written(await client.call_tool("list_repos", {})),
        "build": build,
        "picture": _written(await client.read_resource(link(build))),
        "refusal": _written(await client.call_tool("get_build", bad)),
        "unknown": await _code_of(client, "no_such_tool"),
        "decision": _written(await client.call_tool("review_screenshot", decision(errand, build))),
    }


async def _code_of(client: Client, tool: str) -> int:
    try:
        answer: CallToolResult = await client.call_tool(tool, {})
    except MCPError as error:
        return error.code
    raise AssertionError(f"A tool that does not exist answered {answer}.")


def _written(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def link(result: Mapping[str, Any]) -> str:
    """The first picture that a result links to."""
    links = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
    assert links, result["content"]
    return str(links[0])


def decision(errand: Errand, build: Mapping[str, Any]) -> dict[str, str]:
    shots = build["structuredContent"]["build"]["screenshots"]
    mine = next(shot["id"] for shot in shots if shot["storyId"] == errand.story)
    return {"screenshotId": mine, "state": "rejected", "comment": errand.comment}


CLIENTS: Final[Mapping[str, Send]] = {
    "python-handshake": python_sdk("legacy"),
    "python-stateless": python_sdk("auto"),
    "typescript-1": typescript_sdk("sdk1.mjs"),
    "typescript-2-handshake": typescript_sdk("sdk2.mjs", "legacy"),
    "typescript-2-stateless": typescript_sdk("sdk2.mjs", "auto"),
    "typescript-2-pinned": typescript_sdk("sdk2.mjs", "2026-07-28"),
    "inspector-handshake": inspector("legacy"),
    "inspector-stateless": inspector("modern"),
    "mcp-remote": mcp_remote(),
    "mcp-remote-stateless": mcp_remote("--protocol", "auto"),
}
