"""The MCP endpoint, next to the sign-in pages and OAuth endpoints; and rate limits."""

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.support.mcp.endpoint import Endpoint, open_endpoint


@pytest.fixture
def endpoint(db: None) -> Iterator[Endpoint]:  # noqa: ARG001 - The endpoint shares its transaction.
    with open_endpoint() as opened:
        yield opened


@pytest.fixture
def without_rate_limits(settings: Settings) -> None:
    """Turn off rate limits, which need most of the queries of a request."""
    settings.ACCOUNT_RATE_LIMITS = False
