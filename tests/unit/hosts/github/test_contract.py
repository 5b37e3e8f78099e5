"""The contract over real HTTP, against a server that follows GitHub's API description."""

from collections.abc import Iterator

import pytest

from tests.support.hosts.adapter import AdapterUnderTest
from tests.support.hosts.contract import HostContract
from tests.support.hosts.github.fake_service import (
    TOKEN_CREDENTIALS,
    app_credentials,
    github_adapter,
)


class TestGitHubWithAToken(HostContract):
    @pytest.fixture
    def adapter(self) -> Iterator[AdapterUnderTest]:
        with github_adapter(TOKEN_CREDENTIALS) as adapter:
            yield adapter


class TestGitHubAsAnApp(HostContract):
    @pytest.fixture
    def adapter(self) -> Iterator[AdapterUnderTest]:
        with github_adapter(app_credentials()) as adapter:
            yield adapter
