"""An HTTP server in a thread, for the adapters of each kind of host."""

from collections.abc import Iterator

import pytest

from tests.support.hosts.adapter import AsgiServer, running_asgi_server


@pytest.fixture(scope="module")
def asgi_server() -> Iterator[AsgiServer]:
    with running_asgi_server() as asgi_server:
        yield asgi_server
