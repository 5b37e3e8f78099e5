"""The examples on the page about connecting work as they are copied."""

import json
import subprocess
from pathlib import Path

from mcp import Client, StdioServerParameters
from scripts.setup_node import MCP_CLIENTS

from tests.journeys.mcp.conftest import McpService
from tests.support.mcp.clients import BRIDGE, CLIENT_SECONDS, node, run_async
from visual_review.web.mcp_setup import NAME, VARIABLE, create_snippets


def test_the_command_of_another_client_lists_the_tools(service: McpService, tmp_path: Path) -> None:
    command = create_snippets(service.endpoint)["other_key"].code
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"PATH": "/usr/bin:/bin", VARIABLE: service.key, "HOME": str(tmp_path)},
        capture_output=True,
        timeout=CLIENT_SECONDS,
        check=True,
    )
    tools = {tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]}
    assert {"list_repos", "approve_build"} <= tools


def test_the_configuration_with_the_bridge_connects(service: McpService, tmp_path: Path) -> None:
    found = json.loads(create_snippets(service.endpoint)["bridge_key"].code)["mcpServers"][NAME]
    assert (found["command"], found["args"][:2]) == ("npx", ["-y", "mcp-remote"])
    key = {name: text.replace("<API key>", service.key) for name, text in found["env"].items()}

    async def tools() -> set[str]:
        program = StdioServerParameters(
            # What npx would fetch is installed here.
            command=str(node() / "node"),
            args=[str(MCP_CLIENTS.installed / BRIDGE), *found["args"][2:]],
            env={**key, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )
        async with Client(program, mode="legacy") as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert {"list_repos", "approve_build"} <= run_async(tools)
