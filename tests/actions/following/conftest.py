import pytest

from tests.actions.following.steps import Followed
from tests.personas import Personas


@pytest.fixture
def followed(personas: Personas) -> Followed:
    return Followed(personas.bob)
