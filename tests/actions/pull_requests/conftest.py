import pytest

from tests.support.hosted_world import HostedWorld, world_with_pull_request
from tests.support.personas import Personas


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    return world_with_pull_request(personas.bob)
