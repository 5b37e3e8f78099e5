"""An approval carried over from one pull request to another."""

from dataclasses import dataclass
from typing import Final

from tests.support.hosted_world import HostedWorld, hosted_world
from tests.support.personas import Persona
from tests.support.scenes import scene
from visual_review.builds.models import Build, Screenshot

NEWER: Final = "b" * 40
SHOTS: Final = {"a": "blue", "b": "blue"}


@dataclass
class CarriedOverBuild:
    """``first`` is build 2, approved in #1; ``build`` is of #2 and shows the same."""

    world: HostedWorld
    first: Build
    build: Build

    def shot(self, build: Build | None = None) -> Screenshot:
        return self.world.shot(build or self.build, "a")


@scene
def carry_over(persona: Persona) -> CarriedOverBuild:
    world = hosted_world(persona)
    world.approve(world.publish({"a": "red", "b": "red"}))
    world.open_pull_request()
    first = world.publish(SHOTS, "feature", target="main")
    world.approve(first)
    world.host.open_pull_request("acme/web", "other", NEWER)
    build = world.publish(SHOTS, "other", target="main", number=2, commit=NEWER)
    return CarriedOverBuild(world, first, build)
