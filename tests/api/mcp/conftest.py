"""The endpoint under test."""

from collections.abc import Iterator

import pytest

from tests.support.mcp.endpoint import Endpoint, open_endpoint


@pytest.fixture
def endpoint(db: None) -> Iterator[Endpoint]:  # noqa: ARG001 - The endpoint shares its transaction.
    with open_endpoint() as opened:
        yield opened
