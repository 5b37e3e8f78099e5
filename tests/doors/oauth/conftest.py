"""The MCP endpoint, beside the pages and doors of the sign-in."""

from collections.abc import Iterator

import pytest

from tests.doors.mcp.client import Endpoint, open_endpoint


@pytest.fixture
def endpoint(db: None) -> Iterator[Endpoint]:  # noqa: ARG001 - The endpoint shares its transaction.
    with open_endpoint() as opened:
        yield opened
