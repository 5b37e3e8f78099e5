"""The MCP endpoint, beside the pages and endpoints of the sign-in; and the limits on requests."""

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
    """For tables whose subject they are not: counting takes most queries of a request."""
    settings.ACCOUNT_RATE_LIMITS = False
