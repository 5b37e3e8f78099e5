"""Clients by others, the conformance suite and the examples of the page use MCP."""

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from playwright.sync_api import Browser
from scripts.conformance import measure
from scripts.conformance_suite import known_scenarios
from scripts.conformance_table import TABLE, find_failures, read_table
from scripts.setup_node import MCP_CLIENTS
from scripts.setup_tools import find_node

from tests.journeys.mcp.conftest import REPOSITORY, STORIES, UNCHANGED_STORY, McpService
from tests.support.case import Case
from tests.support.mcp.clients import (
    BRIDGE,
    CLIENT_SECONDS,
    CLIENTS,
    STEPS,
    ReviewTask,
    inspector_steps,
    node,
    run_async,
)
from visual_review.web.mcp_setup import NAME, VARIABLE, create_snippets

PNG = b"\x89PNG\r\n\x1a\n"
HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
INVALID_PARAMS = -32602


@pytest.mark.search
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_looks_at_a_build_and_decides(
    name: str, service: McpService, tmp_path: Path, case: Case
) -> None:
    endpoint, key = service.endpoint, service.key
    task = ReviewTask(name, endpoint, key, service.build, STORIES[name], tmp_path)
    report = CLIENTS[name](task)
    assert tuple(report) == expected_steps(name)
    for step, result in report.items():
        with case(step):
            CHECKS[step](result, service, task)


def expected_steps(name: str) -> tuple[str, ...]:
    return {
        "inspector-handshake": inspector_steps("legacy"),
        "inspector-stateless": inspector_steps("modern"),
    }.get(name, STEPS)


def test_the_inspectors_do_every_step_that_they_can_between_them() -> None:
    done = {*inspector_steps("legacy"), *inspector_steps("modern")}
    assert done == set(STEPS) - {"unknownTool"}


def speaks_stateless(name: str) -> bool:
    # Behind the bridge a client of the protocol with a handshake stays one; the bridge translates.
    return name.endswith(("stateless", "pinned")) and not name.startswith("mcp-remote")


def known_as(name: str) -> str:
    """Return the name to which decisions through the client are attributed."""
    if name.startswith("inspector"):
        return "inspector-cli"
    if name.startswith("mcp-remote"):
        return f"test-{name} (via mcp-remote {MCP_CLIENTS.version_of('mcp-remote')})"
    return f"test-{name}"


def check_protocol(version: str, _service: McpService, task: ReviewTask) -> None:
    assert version == (STATELESS if speaks_stateless(task.client) else HANDSHAKE)


def check_tools(listed: list[dict[str, Any]], _service: McpService, _task: ReviewTask) -> None:
    tools = {tool["name"]: tool for tool in listed}
    assert {"list_repos", "get_build", "review_screenshot", "approve_build"} <= tools.keys()
    assert tools["get_build"]["inputSchema"]["required"] == ["buildId"]
    assert tools["get_build"]["annotations"]["readOnlyHint"] is True
    assert tools["review_screenshot"]["annotations"]["readOnlyHint"] is False


def check_templates(listed: list[dict[str, Any]], _service: McpService, _task: ReviewTask) -> None:
    assert listed


def check_prompts(listed: list[dict[str, Any]], _service: McpService, _task: ReviewTask) -> None:
    assert [prompt["name"] for prompt in listed] == ["review_build", "explain_rejections"]
    assert listed[0]["arguments"][0]["name"] == "buildId"


def check_prompt(result: dict[str, Any], service: McpService, _task: ReviewTask) -> None:
    (message,) = result["messages"]
    assert message["role"] == "user"
    assert service.build in message["content"]["text"]


def check_repositories(result: dict[str, Any], _service: McpService, _task: ReviewTask) -> None:
    repositories = result["structuredContent"]["repos"]
    assert [repository["fullName"] for repository in repositories] == [REPOSITORY]


def check_build(result: dict[str, Any], service: McpService, task: ReviewTask) -> None:
    build = result["structuredContent"]["build"]
    assert build["id"] == service.build
    assert (build["counts"]["changed"], build["counts"]["unchanged"]) == (len(STORIES), 1)
    # The open decisions stand in the text, since most models go by the text.
    assert task.story in text_of(result)


def check_image(result: dict[str, Any], _service: McpService, _task: ReviewTask) -> None:
    (content,) = result["contents"]
    assert content["mimeType"] == "image/png"
    assert base64.b64decode(content["blob"]).startswith(PNG)


def check_error(result: dict[str, Any], _service: McpService, _task: ReviewTask) -> None:
    assert result["isError"] is True
    assert "no build" in text_of(result)


def check_unknown_tool(code: int, _service: McpService, _task: ReviewTask) -> None:
    assert code == INVALID_PARAMS


def check_decision(result: dict[str, Any], service: McpService, task: ReviewTask) -> None:
    assert result["structuredContent"]["reviewState"] == "unreviewed"
    shots = service.screenshots()
    decided = shots[task.story]
    assert (decided["reviewDecision"], decided["comment"]) == ("rejected", task.comment)
    assert decided["decided"]["source"] == "mcp"
    assert decided["decided"]["client"] == known_as(task.client)
    assert shots[UNCHANGED_STORY]["reviewDecision"] is None


CHECKS: dict[str, Callable[[Any, McpService, ReviewTask], None]] = {
    "protocol": check_protocol,
    "tools": check_tools,
    "resourceTemplates": check_templates,
    "prompts": check_prompts,
    "prompt": check_prompt,
    "repositories": check_repositories,
    "build": check_build,
    "image": check_image,
    "error": check_error,
    "unknownTool": check_unknown_tool,
    "decision": check_decision,
}


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def test_every_scenario_that_applies_passes_in_all_protocol_versions(
    service: McpService, browser: Browser
) -> None:
    node = find_node()
    scenarios = read_table(TABLE.read_text(encoding="utf-8"))
    context = browser.new_context()
    found = measure(service, node, context.new_page())
    context.close()
    assert find_failures(scenarios, known_scenarios(node), found) == []


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
            # The package fetched by npx is installed here.
            command=str(node() / "node"),
            args=[str(MCP_CLIENTS.installed / BRIDGE), *found["args"][2:]],
            env={**key, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )
        async with Client(program, mode="legacy") as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert {"list_repos", "approve_build"} <= run_async(tools)
