import pytest

from tests.support.hosts.tracked_pull_request import TrackedPullRequest, track_pull_request
from tests.support.personas import Personas


@pytest.fixture
def pull_request(personas: Personas) -> TrackedPullRequest:
    return track_pull_request(personas.bob)
