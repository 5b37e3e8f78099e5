"""Clients written by others, each with the same task: look at a build and decide on it.

Every client reports the results in the protocol's form, under the names of ``STEPS``, so that one
test can hold all clients to the same.
"""

import json
import os
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CallToolResult, Implementation
from pydantic import BaseModel
from scripts.setup_node import MCP_CLIENTS
from scripts.setup_tools import find_node

from tests.support.depth import DEEP

T = TypeVar("T")
CLIENT_SECONDS: Final = 60
INSPECTOR: Final = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
BRIDGE: Final = "mcp-remote/dist/proxy.js"
# The inspector's exit code for a result with isError.
REFUSED: Final = 5
PROMPT: Final = "review_build"
UNKNOWN_BUILD: Final = {"buildId": "build_of_nobody"}

STEPS: Final = (
    "protocol",
    "tools",
    "resourceTemplates",
    "prompts",
    "prompt",
    "repositories",
    "build",
    "image",
    "error",
    "unknownTool",
    "decision",
)
Mode = Literal["legacy", "modern"]
# Each call of the inspector starts the program anew. Steps independent of the protocol version are
# tried with one version; the inspector does not call a tool missing from the list.
_OF_EITHER: Final = ("protocol", "build", "decision")
_OF_ONE: Final[Mapping[Mode, tuple[str, ...]]] = {
    "legacy": ("tools", "prompt", "error"),
    "modern": ("resourceTemplates", "prompts", "repositories", "image"),
}

# Step -> result.
Report = dict[str, Any]

# The search for Node starts Node, so one search is enough.
node = cache(find_node)


def inspector_steps(mode: Mode) -> tuple[str, ...]:
    if DEEP:
        return tuple(step for step in STEPS if step != "unknownTool")
    return (*_OF_EITHER, *_OF_ONE[mode])


@dataclass(frozen=True)
class ReviewTask:
    """The client, the build and story to look at, and the endpoint; ``home`` is a folder to use."""

    client: str
    endpoint: str
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


ReviewClient = Callable[[ReviewTask], Report]


def run_async(work: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """Run ``work`` in a new thread: a browser of other tests may keep an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, work, *arguments).result()


def python_sdk(mode: str) -> ReviewClient:
    """The Python SDK; ``mode`` is legacy, auto or a version."""

    async def review(task: ReviewTask) -> Report:
        bearer = {"Authorization": f"Bearer {task.key}"}
        async with create_mcp_http_client(headers=bearer) as http:
            transport = streamable_http_client(task.endpoint, http_client=http)
            identity = Implementation(name=f"test-{task.client}", version="1.0.0")
            async with Client(transport, mode=mode, client_info=identity) as client:
                return await _run(client, task)

    return lambda task: run_async(review, task)


def mcp_remote(*flags: str) -> ReviewClient:
    """The bridge for clients that only start programs, started by the Python SDK."""

    async def review(task: ReviewTask) -> Report:
        program = StdioServerParameters(
            command=str(node() / "node"),
            args=[
                *(str(MCP_CLIENTS.installed / BRIDGE), task.endpoint, "--transport", "http-only"),
                *("--header", "Authorization:${BEARER}", "--silent", *flags),
            ],
            env={**task.environment, "BEARER": f"Bearer {task.key}"},
        )
        identity = Implementation(name=f"test-{task.client}", version="1.0.0")
        async with Client(program, mode="legacy", client_info=identity) as client:
            return await _run(client, task)

    return lambda task: run_async(review, task)


def typescript_sdk(program: str, mode: str = "") -> ReviewClient:
    def review(task: ReviewTask) -> Report:
        given = {
            "client": task.client,
            "endpoint": task.endpoint,
            "key": task.key,
            "buildId": task.build,
            "storyId": task.story,
            "comment": task.comment,
            "mode": {"pin": mode} if mode.startswith("20") else mode,
        }
        environment = {**task.environment, "TASK": json.dumps(given)}
        done = _node([str(MCP_CLIENTS.folder / program)], environment)
        assert done.returncode == 0, done.stderr
        report: Report = json.loads(done.stdout)
        return report

    return review


def inspector(mode: Mode) -> ReviewClient:
    """The inspector's command line, one process a request."""

    def review(task: ReviewTask) -> Report:
        client = Inspector(task, mode)
        build = client.call("get_build", {"buildId": task.build})
        steps: dict[str, Callable[[], Any]] = {
            "protocol": lambda: client.ask("initialize")["protocolVersion"],
            "tools": lambda: client.ask("tools/list", "--strict")["tools"],
            "resourceTemplates": lambda: client.ask("resources/templates/list")[
                "resourceTemplates"
            ],
            "prompts": lambda: client.ask("prompts/list")["prompts"],
            "prompt": lambda: client.ask(
                "prompts/get",
                *("--prompt-name", PROMPT, "--prompt-args", f"buildId={task.build}"),
            ),
            "repositories": lambda: client.call("list_repos", {}),
            "build": lambda: build,
            "image": lambda: client.ask("resources/read", "--uri", link(build)),
            "error": lambda: client.call("get_build", UNKNOWN_BUILD, codes=(REFUSED,)),
            "decision": lambda: client.call("review_screenshot", decision(task, build)),
        }
        return {step: steps[step]() for step in inspector_steps(mode)}

    return review


@dataclass(frozen=True)
class Inspector:
    task: ReviewTask
    mode: Mode

    def call(
        self, tool: str, arguments: Mapping[str, Any], codes: tuple[int, ...] = (0,)
    ) -> dict[str, Any]:
        words = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self.ask("tools/call", *words, codes=codes)

    def ask(self, method: str, *words: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        """Return the result; whatever the inspector warns of fails the test."""
        bearer = f"Authorization: Bearer {self.task.key}"
        command = [
            *(str(MCP_CLIENTS.installed / INSPECTOR), "--cli", self.task.endpoint),
            *("--transport", "http", "--header", bearer, "--protocol-era", self.mode),
            *("--format", "json", "--method", method, *words),
        ]
        done = _node(command, self.task.environment)
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


async def _run(client: Client, task: ReviewTask) -> Report:
    build = _written(await client.call_tool("get_build", {"buildId": task.build}))
    return {
        "protocol": client.protocol_version,
        "tools": _written(await client.list_tools())["tools"],
        "resourceTemplates": _written(await client.list_resource_templates())["resourceTemplates"],
        "prompts": _written(await client.list_prompts())["prompts"],
        "prompt": _written(await client.get_prompt(PROMPT, {"buildId": task.build})),
        "repositories": _written(await client.call_tool("list_repos", {})),
        "build": build,
        "image": _written(await client.read_resource(link(build))),
        "error": _written(await client.call_tool("get_build", UNKNOWN_BUILD)),
        "unknownTool": await _code_of(client, "no_such_tool"),
        "decision": _written(await client.call_tool("review_screenshot", decision(task, build))),
    }


async def _code_of(client: Client, tool: str) -> int:
    try:
        response: CallToolResult = await client.call_tool(tool, {})
    except MCPError as error:
        return error.code
    raise AssertionError(f"A tool that does not exist answered {response}.")


def _written(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def link(result: Mapping[str, Any]) -> str:
    """Return the first image linked in a result."""
    links = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
    assert links, result["content"]
    return str(links[0])


def decision(task: ReviewTask, build: Mapping[str, Any]) -> dict[str, str]:
    shots = build["structuredContent"]["build"]["screenshots"]
    mine = next(shot["id"] for shot in shots if shot["storyId"] == task.story)
    return {"screenshotId": mine, "state": "rejected", "comment": task.comment}


CLIENTS: Final[Mapping[str, ReviewClient]] = {
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
