"""Clients that others wrote review a build through MCP."""

import base64
from pathlib import Path
from typing import Any

import pytest
from scripts.setup_node import MCP_CLIENTS

from tests.journeys.mcp.clients import CLIENTS, Errand, Visit
from tests.journeys.mcp.conftest import REPOSITORY, STEADY, STORIES, Place

PNG = b"\x89PNG\r\n\x1a\n"
HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
INVALID_PARAMS = -32602


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_looks_at_a_build_and_decides(name: str, place: Place, tmp_path: Path) -> None:
    errand = Errand(name, place.address, place.server.key, place.build, STORIES[name], tmp_path)
    visit = CLIENTS[name](errand)

    assert visit["protocol"] == (STATELESS if speaks_stateless(name) else HANDSHAKE)
    sees_the_tools(visit)
    sees_the_build(visit, place, errand.story)
    sees_the_picture(visit)
    is_told_what_was_wrong(visit)
    has_decided(visit, place, errand)


def speaks_stateless(name: str) -> bool:
    # Behind the bridge a client of the handshake era stays one; the bridge translates.
    return name.endswith(("stateless", "pinned")) and not name.startswith("mcp-remote")


def known_as(name: str) -> str:
    """What decisions made through the client are signed with."""
    if name.startswith("inspector"):
        return "inspector-cli"
    if name.startswith("mcp-remote"):
        return f"test-{name} (via mcp-remote {MCP_CLIENTS.version_of('mcp-remote')})"
    return f"test-{name}"


def sees_the_tools(visit: Visit) -> None:
    tools = {tool["name"]: tool for tool in visit["tools"]}
    assert {"list_repos", "get_build", "review_screenshot", "approve_build"} <= tools.keys()
    assert tools["get_build"]["inputSchema"]["required"] == ["buildId"]
    assert tools["get_build"]["annotations"]["readOnlyHint"] is True
    assert tools["review_screenshot"]["annotations"]["readOnlyHint"] is False
    assert visit["resourceTemplates"]


def sees_the_build(visit: Visit, place: Place, story: str) -> None:
    repositories = visit["repositories"]["structuredContent"]["repos"]
    assert [repository["fullName"] for repository in repositories] == [REPOSITORY]
    build = visit["build"]["structuredContent"]["build"]
    assert build["id"] == place.build
    assert (build["counts"]["changed"], build["counts"]["unchanged"]) == (len(STORIES), 1)
    # What is still to be decided stands in the text, by which most models go.
    assert story in words(visit["build"])


def sees_the_picture(visit: Visit) -> None:
    (content,) = visit["picture"]["contents"]
    assert content["mimeType"] == "image/png"
    assert base64.b64decode(content["blob"]).startswith(PNG)


def is_told_what_was_wrong(visit: Visit) -> None:
    assert visit["refusal"]["isError"] is True
    assert "no build" in words(visit["refusal"])
    assert visit["unknown"] in {INVALID_PARAMS, None}


def has_decided(visit: Visit, place: Place, errand: Errand) -> None:
    assert visit["decision"]["structuredContent"]["reviewState"] == "unreviewed"
    shots = place.screenshots()
    decided = shots[errand.story]
    assert (decided["reviewDecision"], decided["comment"]) == ("rejected", errand.comment)
    assert decided["decided"]["source"] == "mcp"
    assert decided["decided"]["client"] == known_as(errand.client)
    assert shots[STEADY]["reviewDecision"] is None


def words(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
