"""Connected repositories for the tests of what hosts are notified of."""

import pytest

from tests.support.hosts.connected_repository import ConnectedRepository, connect_repository
from tests.support.personas import Personas


@pytest.fixture
def empty_repository(personas: Personas) -> ConnectedRepository:
    """Nothing was published to it yet."""
    return connect_repository(personas.alice)
