"""The contract over real HTTP, against a server that answers as GitHub describes itself."""

from collections.abc import Iterator

import pytest

from tests.unit.hosts.contract import HostContract
from tests.unit.hosts.github.stages import TOKEN_CREDENTIALS, app_credentials, github_stage
from tests.unit.hosts.stage import Stage


class TestGitHubWithAToken(HostContract):
    @pytest.fixture
    def stage(self) -> Iterator[Stage]:
        with github_stage(TOKEN_CREDENTIALS) as stage:
            yield stage


class TestGitHubAsAnApp(HostContract):
    @pytest.fixture
    def stage(self) -> Iterator[Stage]:
        with github_stage(app_credentials()) as stage:
            yield stage
