"""Texts for models name whose approval was carried over."""

import pytest

from tests.support.api_keys import user_key
from tests.support.carried_over import CarriedOverBuild, carry_over
from tests.support.mcp.endpoint import Endpoint
from tests.support.mcp.reader import Reader
from tests.support.personas import Personas


@pytest.fixture
def carried(personas: Personas) -> CarriedOverBuild:
    return carry_over(personas.bob)


def test_texts_name_the_person_the_build_and_the_pull_request(
    carried: CarriedOverBuild, endpoint: Endpoint
) -> None:
    reader = Reader(endpoint, user_key(carried.world.persona))
    text = reader.text("get_build", buildId=carried.build.id)
    origin = "as carried over from build #2 of pull request #1"
    # The origin of the build's approval, and of the screenshots'.
    assert f'approved {origin}, first approved by "Bob"' in text
    assert f'Approved {origin}, first approved by "Bob": "a"' in text
    listed = reader.text("list_builds", repoId=carried.world.repository.id)
    assert 'approved as carried over from an earlier build, first approved by "Bob"' in listed
