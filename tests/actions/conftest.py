"""The worlds of many tests of actions."""

import pytest

from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, World, build_with_groups


@pytest.fixture
def world(personas: Personas) -> World:
    """Alice's repository, without a build."""
    return World(personas.alice)


@pytest.fixture
def grouped(personas: Personas) -> BuildInReview:
    """A build with groups of changes, reviewed by Bob."""
    return build_with_groups(personas.bob)
