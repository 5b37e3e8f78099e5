"""An approval that was carried over from one pull request to another."""

from dataclasses import dataclass
from typing import Final

from tests.support.hosts.connected_repository import ConnectedRepository, connect_repository
from tests.support.personas import Persona
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.builds.models import Build, Screenshot

NEWER: Final = "b" * 40
SHOTS: Final = {"a": "blue", "b": "blue"}


@dataclass
class CarriedOverBuild:
    """``first`` is build 2, approved in #1; ``build`` is of #2 and shows the same."""

    repository: ConnectedRepository
    first: Build
    build: Build

    @property
    def world(self) -> World:
        return self.repository.world

    def shot(self, build: Build | None = None) -> Screenshot:
        return self.world.shot(build or self.build, "a")


@scene
def carry_over(persona: Persona) -> CarriedOverBuild:
    repository = connect_repository(persona)
    world = repository.world
    repository.approve(world.publish({"a": "red", "b": "red"}))
    repository.open_pull_request()
    first = world.publish(SHOTS, "feature", target="main")
    repository.approve(first)
    repository.host.open_pull_request("acme/web", "other", NEWER)
    build = world.publish(SHOTS, "other", target="main", number=2, commit=NEWER)
    return CarriedOverBuild(repository, first, build)
