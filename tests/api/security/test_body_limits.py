"""How much a caller may send depends on the URL, and is decided before anything is read."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.case import Case
from tests.support.host_accounts import WEBHOOK_SECRET, connect_account
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.raw_client import RawClient, response_status
from visual_review.hosts.signatures import hmac_sha256
from visual_review.kernel.blobs import blob_store
from visual_review.repositories.models import HostAccount

LENGTH = "Content-Length: {}"
MEGABYTE = 1024 * 1024
FORM = "X-Memory-Signature: " + "0" * 64
INCOMING = "incoming/org_0000000000000000000000/nothing.png"


@pytest.fixture
def account(service: InProcessService) -> Iterator[HostAccount]:
    connected = connect_account(service.personas.alice)
    yield connected
    connected.delete()


def test_a_body_beyond_the_limit_is_rejected_before_it_is_sent(
    client: RawClient, service: InProcessService, account: HostAccount, case: Case
) -> None:
    link = blob_store().upload_link(INCOMING, 129, 600).removeprefix(service.url)
    deliveries = f"/api/webhooks/hosts/{account.pk}"
    token = "Authorization: Bearer vr_ci_wrong"
    for name, method, path, size, headers, status in [
        ("a page", "POST", "/sign-in", 2, [], 413),
        ("an action", "POST", "/api/rest/actions/list_repos", 2, [], 413),
        ("a call over MCP", "POST", "/api/mcp", 2, [], 413),
        ("CI", "POST", "/api/ci/builds", 9, [token], 413),
        ("CI without a credential", "POST", "/api/ci/builds", 7, [], 401),
        ("an upload without a signature", "PUT", "/blobs/incoming/x", 100, [], 403),
        ("an upload with a changed URL", "PUT", link.replace("incoming", "outgoing"), 100, [], 403),
        ("an upload", "PUT", link, 129, [], 413),
        ("an unknown webhook", "POST", "/api/webhooks/hosts/host_unknown", 20, [], 401),
        ("an unsigned delivery", "POST", deliveries, 20, [], 401),
        ("a delivery", "POST", deliveries, 26, [FORM], 413),
    ]:
        request = client.request(method, path, LENGTH.format(size * MEGABYTE), *headers)
        with case(name), client.connected(request) as stream:
            assert response_status(stream) == status


def test_a_signed_delivery_is_received_whole(
    service: InProcessService, account: HostAccount
) -> None:
    body = b"[" + b" " * (3 * MEGABYTE) + b"]"
    response = httpx.post(
        f"{service.url}/api/webhooks/hosts/{account.pk}",
        content=body,
        headers={"X-Memory-Signature": hmac_sha256(body, WEBHOOK_SECRET)},
        timeout=60,
    )
    # The signature holds; what it signs is no event.
    assert response.status_code == 400
    assert "cannot be read" in response.json()["detail"]


def test_a_chunked_body_ends_at_the_limit(service: InProcessService) -> None:
    sent = 0

    def parts() -> Iterator[bytes]:
        nonlocal sent
        while sent < 64 * MEGABYTE:
            sent += MEGABYTE // 4
            yield bytes(MEGABYTE // 4)

    response = httpx.post(f"{service.url}/sign-in", content=parts(), timeout=60)
    assert response.status_code == 413
