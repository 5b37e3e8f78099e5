"""Clients that read slowly, send slowly or do neither hold no thread, and lose their connections."""

from contextlib import ExitStack

import httpx
import pytest

from tests.support.case import Case
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.web import RawClient, wait_for_end, wait_for_reset
from visual_review.config.http import serve
from visual_review.kernel.blobs import blob_store

# More than the service has threads for pages.
ATTACKERS = 40
# More than the system buffers of each connection.
PIPELINED = 400
KEY = "images/org_1/large.png"
LARGE = bytes(1024 * 1024)


@pytest.fixture
def signed_image(service: InProcessService) -> str:
    blob_store().put(KEY, LARGE)
    return blob_store().link(KEY, 600).removeprefix(service.url)


@pytest.fixture
def quick_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same limits, in less time than people have."""
    monkeypatch.setattr(serve, "PROGRESS_SECONDS", 0.2)


def test_unread_responses_hold_no_thread(
    client: RawClient, service: InProcessService, signed_image: str, case: Case
) -> None:
    for name, path in [
        ("static file", "/static/web/base.css"),
        ("signed image", signed_image),
        ("page", "/sign-in"),
    ]:
        with case(name), ExitStack() as connections:
            for _ in range(ATTACKERS):
                request = client.request("GET", path)
                connections.enter_context(client.connected(request * PIPELINED))
            assert httpx.get(f"{service.url}/sign-in", timeout=60).status_code == 200
            assert httpx.get(f"{service.url}/readyz", timeout=60).json()["pages"] == "ok"


@pytest.mark.usefixtures("quick_limits")
def test_a_client_that_does_not_read_loses_its_connection(
    client: RawClient, signed_image: str
) -> None:
    request = client.request("GET", signed_image)
    with client.connected(request * PIPELINED) as stream:
        wait_for_reset(stream)


@pytest.mark.usefixtures("quick_limits")
def test_half_a_request_ends_its_connection(client: RawClient, case: Case) -> None:
    for name, sent in [
        ("nothing", b""),
        ("a line", b"GET / HTTP/1.1\r\n"),
        ("no end", client.request("GET", "/sign-in")[:-2]),
    ]:
        with case(name), client.connected(sent) as stream:
            wait_for_end(stream)


def test_a_head_without_end_ends_its_connection(client: RawClient) -> None:
    with client.connected(b"GET / HTTP/1.1\r\nA: " + bytes(serve.MOST_HEAD_BYTES + 1)) as stream:
        wait_for_end(stream)
