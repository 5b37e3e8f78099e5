import pytest

from tests.following.steps import Followed
from tests.personas import Personas


@pytest.fixture
def followed(personas: Personas) -> Followed:
    return Followed(personas.bob)
