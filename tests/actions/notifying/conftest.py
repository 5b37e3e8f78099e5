"""Connected repositories for the tests of notifications to hosts."""

import pytest

from tests.support.hosted_world import HostedWorld, hosted_world, world_with_build
from tests.support.personas import Personas


@pytest.fixture
def empty_world(personas: Personas) -> HostedWorld:
    """Nothing was published to the world yet."""
    return hosted_world(personas.alice)


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    """The host knows nothing yet of the build in review."""
    return world_with_build(personas.alice, {"a": "red"})


@pytest.fixture
def notified_world(personas: Personas) -> HostedWorld:
    """The host was notified of the build in review."""
    return world_with_build(personas.alice, {"a": "red"}, notified=True)
