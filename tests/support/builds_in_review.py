"""Undecided builds, each with the world that it was published to."""

from tests.support.personas import Persona
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.builds.models import Build

BuildInReview = tuple[World, Build]


@scene
def build_with_each_state(persona: Persona) -> BuildInReview:
    """Number 2 of ``acme/web``: one screenshot unchanged, changed, new, removed and failed."""
    world = World(persona)
    first = world.publish({"same": "red", "other": "red", "gone": "blue", "broken": "white"})
    world.act("approve_build", buildId=first.id)
    shots = {"same": "red", "other": "green", "more": "blue", "broken": "error"}
    return world, world.publish(shots)


@scene
def build_with_a_change(persona: Persona) -> BuildInReview:
    """Number 2 of ``acme/web``: ``a`` changed, ``b`` did not, ``c`` is new."""
    world = World(persona)
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    return world, world.publish({"a": "green", "b": "blue", "c": "white"})


@scene
def build_with_groups(persona: Persona) -> BuildInReview:
    """Number 2 of ``acme/web``: three cards changed alike, a fourth one and a menu otherwise."""
    world = World(persona)
    names = ("card--a", "card--b", "card--c", "card--d", "menu--a", "same--a")
    before = dict.fromkeys(names, "red")
    world.act("approve_build", buildId=world.publish(before).id)
    after = dict.fromkeys(names[:3], "green") | {"card--d": "blue", "menu--a": "white"}
    return world, world.publish(before | after)
