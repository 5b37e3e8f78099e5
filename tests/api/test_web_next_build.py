"""The next build in need of the person's review."""

from typing import Any

import pytest

from tests.support.pages import signed_in
from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.builds.models import Build, PullRequest


def next_build(persona: Persona, after: Build | None = None, status: int = 200) -> dict[str, Any]:
    query = {} if after is None else {"after": after.id}
    response = signed_in(persona).get("/next-build", query)
    assert response.status_code == status
    found: dict[str, Any] = response.json()
    return found


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    world.approve(world.publish({"a": "red"}))
    return world


def test_each_waiting_build_comes_in_turn(world: World, personas: Personas) -> None:
    first, second, third = (
        world.publish({"a": color, "b": color}, branch=color)
        for color in ("blue", "green", "black")
    )
    found = next_build(personas.bob)
    assert found == {
        "build": {
            "url": f"/builds/{first.id}",
            "number": first.number,
            "repository": "acme/web",
            "changes": 2,
        },
        "waiting": 3,
    }
    for after, expected in [(first, second), (second, third), (third, first)]:
        found = next_build(personas.bob, after)
        assert (found["build"]["number"], found["waiting"]) == (expected.number, 2)


def test_what_no_one_has_to_review_does_not_come(world: World, personas: Personas) -> None:
    merged = world.publish({"a": "blue"}, branch="merged", target="main")
    PullRequest.objects.filter(number=merged.pull_request).update(state="merged")
    # Superseded, rejected, without a change, and one incomplete build.
    world.publish({"a": "green"}, branch="two")
    rejected = world.publish({"a": "blue"}, branch="two")
    world.act("reject_build", buildId=rejected.id)
    world.publish({"a": "red"}, branch="same")
    world.upload({"a": "blue"}, branch="uploading")
    World(personas.mallory, "evil/web").publish({"a": "blue"})
    assert next_build(personas.bob) == {"build": None, "waiting": 0}


def test_no_build_waits_for_a_viewer(world: World, personas: Personas) -> None:
    world.publish({"a": "blue"})
    assert next_build(personas.bob)["waiting"] == 1
    assert next_build(personas.carol) == {"build": None, "waiting": 0}


def test_another_organizations_build_is_unknown(world: World, personas: Personas) -> None:
    build = world.publish({"a": "blue"})
    assert "error" in next_build(personas.mallory, build, status=404)
