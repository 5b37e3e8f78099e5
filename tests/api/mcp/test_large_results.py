"""Large results are made in threads of their own, so that other calls do not wait for them."""

import threading

import pytest

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint
from tests.support.mcp.parity import call_rest
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp import tool_calls
from visual_review.api.mcp.rendering import RenderedResult, render_result
from visual_review.api.mcp.tool_selection import ToolSelection
from visual_review.kernel import large_calls


def test_a_large_result_is_made_in_a_thread_for_those(
    case: Case, endpoint: Endpoint, personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def render_noted(
        result: ActionResult, caller: Caller, selection: ToolSelection
    ) -> RenderedResult:
        names.append(threading.current_thread().name)
        return render_result(result, caller, selection)

    monkeypatch.setattr(tool_calls, "render_result", render_noted)
    # Builds of thousands would take long to publish here.
    monkeypatch.setattr(large_calls, "LARGE_ROWS", 1)
    key, world = user_key(personas.alice), World(personas.alice)
    build = world.publish({"a": "red", "b": "blue"})
    payload = {"buildId": build.id}
    for version in PROTOCOL_VERSIONS:
        with case(version):
            names.clear()
            result = endpoint.call(key, "get_build", payload, version)
            assert result["structuredContent"] == call_rest(key, "get_build", payload).result
            endpoint.call(key, "list_repos", {}, version)
            assert names == ["large_0", "mcp_0"]
