"""Pages, results and the audit log name the client of a decision."""

from dataclasses import replace

import pytest

from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import callable_action
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline, Build

AGENT = "Claude Code"


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def through_agent(world: World, client: str = AGENT) -> Caller:
    caller = world.persona.caller.through("mcp", client)
    return replace(caller, client_id="https://example.com/client.json", grant_id="grant_01")


def decide(caller: Caller, build: Build, action: str = "approve_build") -> None:
    dispatch(callable_action(action), caller, {"buildId": build.id})


def result(world: World, build: Build) -> dict[str, object]:
    """Return the serialized result of get_build."""
    found = world.act("get_build", buildId=build.id).model_dump(by_alias=True)["build"]
    assert isinstance(found, dict)
    return found


def test_the_pages_of_a_build_name_the_client_and_the_person(world: World) -> None:
    build = world.publish({"a": "red"})
    decide(through_agent(world), build)
    page = text_of(signed_in(world.persona), f"/builds/{build.id}")
    assert "approved by Bob through a client that calls itself Claude Code, " in page
    history = text_of(signed_in(world.persona), f"/baselines/{Baseline.objects.get().id}")
    assert "<span>Bob through a client that calls itself Claude Code</span>" in history


def test_a_client_without_a_name_is_still_mentioned(world: World) -> None:
    build = world.publish({"a": "red"})
    decide(through_agent(world, ""), build, "reject_build")
    page = text_of(signed_in(world.persona), f"/builds/{build.id}")
    assert "rejected by Bob through an MCP client, " in page


def test_decisions_by_api_key_and_on_pages_are_distinguished(world: World) -> None:
    build = world.publish({"a": "red"})
    client = signed_in(world.persona)
    decide(replace(world.persona.caller, channel="rest", key_id="key_01"), build)
    assert "approved by Bob with an API key, " in text_of(client, f"/builds/{build.id}")
    decide(world.persona.caller, build, "reject_build")
    assert "rejected by Bob, " in text_of(client, f"/builds/{build.id}")


def test_results_contain_the_client_or_null(world: World) -> None:
    build = world.publish({"a": "red"})
    decide(through_agent(world), build)
    found = result(world, build)
    decided = {"name": "Bob", "source": "mcp", "client": AGENT}
    assert decided.items() <= found["decided"].items()  # type: ignore[attr-defined]
    assert decided.items() <= found["screenshots"][0]["decided"].items()  # type: ignore[index]
    decide(world.persona.caller, build, "reject_build")
    assert result(world, build)["decided"]["client"] is None  # type: ignore[index]


def test_a_carried_over_approval_names_the_original_client(world: World) -> None:
    world.approve(world.publish({"a": "red"}))
    decide(through_agent(world), world.publish({"a": "green"}, "topic", target="main"))
    again = world.publish({"a": "green"}, "topic", target="main")
    page = text_of(signed_in(world.persona), f"/builds/{again.id}")
    assert "approved by Bob through a client that calls itself Claude Code, carried over" in page


def test_the_name_of_a_client_is_escaped(world: World) -> None:
    build = world.publish({"a": "red"})
    decide(through_agent(world, "<script>alert(1)</script>"), build)
    page = text_of(signed_in(world.persona), f"/builds/{build.id}")
    assert "<script>alert" not in page
    assert "calls itself &lt;script&gt;" in page


def test_the_audit_log_shows_client_and_credential(personas: Personas, world: World) -> None:
    build = world.publish({"a": "red"})
    decide(through_agent(world), build)
    decide(replace(world.persona.caller, channel="rest", key_id="key_01"), build, "reject_build")
    owner = signed_in(personas.alice)
    page = text_of(owner, "/audit?channel=mcp")
    assert "through a client that calls itself Claude Code" in page
    assert "<dt>Client</dt><dd><code>https://example.com/client.json</code></dd>" in page
    assert "<dt>Connection</dt><dd><code>grant_01</code></dd>" in page
    assert "build.rejected</code></td>" not in page
    assert "<dt>API key</dt><dd><code>key_01</code></dd>" in text_of(owner, "/audit?channel=rest")
    assert AuditEntry.objects.filter(channel="mcp").count() == 1
