"""Connected repositories for the tests of what hosts are notified of."""

import pytest

from tests.support.hosted_world import HostedWorld, hosted_world
from tests.support.personas import Personas


@pytest.fixture
def empty_world(personas: Personas) -> HostedWorld:
    """Nothing was published to it yet."""
    return hosted_world(personas.alice)
