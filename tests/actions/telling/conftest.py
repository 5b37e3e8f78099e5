"""A connected repository for the tests of what hosts are told."""

import pytest
from pytest_django.fixtures import Settings

from tests.actions.telling.hosted import ADDRESS, Hosted, hosted
from tests.personas import Personas


@pytest.fixture
def here(personas: Personas, settings: Settings) -> Hosted:
    settings.SOURCE_HOSTS = (ADDRESS,)
    return hosted(personas.alice)
