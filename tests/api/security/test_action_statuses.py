"""Statuses and problem documents of every endpoint below ``/api``, and the limits of bodies."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.host_accounts import WEBHOOK_SECRET, connect_account
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.web import RawClient, response_status
from visual_review.actions import registry
from visual_review.api.credentials import WRONG_CREDENTIALS
from visual_review.api.errors import STATUS_OF, TRANSIENT_ERRORS
from visual_review.api.openapi import ERROR_RESPONSES
from visual_review.config.http import bodies
from visual_review.hosts.signatures import hmac_sha256
from visual_review.kernel.blobs import blob_store
from visual_review.repositories.models import HostAccount

ACTION = "/api/rest/actions/"
JSON = "Content-Type: application/json"
LARGE = b'{"a": "%b"}' % (b"x" * (200 * 1024))


@dataclass(frozen=True)
class Sender:
    """Sends calls of actions as bytes, with the key of an owner unless another is given."""

    client: RawClient
    key: str

    def send(
        self,
        name: str = "list_repos",
        body: bytes = b"{}",
        *headers: str,
        method: str = "POST",
        key: str | None = None,
        length: int | None = None,
        media_type: str = JSON,
    ) -> tuple[int, dict[str, Any]]:
        """Return status and document of the response; ``length`` is the announced length."""
        path = name if name.startswith("/") else f"{ACTION}{name}"
        own = (
            f"Authorization: Bearer {self.key if key is None else key}",
            media_type,
            f"Content-Length: {len(body) if length is None else length}",
            "Connection: close",
        )
        sent = self.client.request(method, path, *own, *headers)
        return self.exchange(sent + body)

    def exchange(self, sent: bytes) -> tuple[int, dict[str, Any]]:
        received = b""
        with self.client.connected(b"") as stream:
            stream.sendall(sent)
            while part := stream.recv(1 << 16):
                received += part
        head, _, body = received.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body)


@pytest.fixture
def sender(service: InProcessService, client: RawClient) -> Sender:
    return Sender(client, user_key(service.personas.alice))


@contextmanager
def failing(error: Exception) -> Iterator[None]:
    """Let list_repos fail with ``error``; no request could cause the error."""

    def fail(*_arguments: object) -> Any:  # noqa: ANN401 - It returns nothing.
        raise error

    broken = replace(registry.callable_action("list_repos"), run=fail)
    with patch.dict("visual_review.actions.registry._PUBLISHED_BY_NAME", list_repos=broken):
        yield


def conflict(sender: Sender, _service: InProcessService) -> int:
    body = b'{"fullName": "acme/statuses"}'
    assert sender.send("connect_repo", body)[0] == 200
    return sender.send("connect_repo", body)[0]


def forbidden(sender: Sender, service: InProcessService) -> int:
    key = organization_key(service.personas.alice, ("builds:view",))
    return sender.send(key=key)[0]


def too_many(sender: Sender, _service: InProcessService) -> int:
    with patch.object(WRONG_CREDENTIALS, "limit", 1):
        return [sender.send(key="vr_user_wrong")[0] for _ in range(3)][-1]


def too_slow(sender: Sender, _service: InProcessService) -> int:
    with patch.object(bodies, "SILENCE_SECONDS", 0.01):
        return sender.send(length=100)[0]


def internal(sender: Sender, _service: InProcessService) -> int:
    with failing(RuntimeError("inner")):
        return sender.send()[0]


def unavailable(sender: Sender, _service: InProcessService) -> int:
    with patch.object(bodies, "MAX_UNSIGNED_BYTES", 0):
        return sender.send(body=LARGE)[0]


def full(sender: Sender, _service: InProcessService) -> int:
    with patch.object(bodies, "MINIMUM_FREE_BYTES", 1 << 60):
        return sender.send(body=LARGE)[0]


Provoke = Callable[[Sender, InProcessService], int]
PROVOKED: dict[int, Provoke] = {
    400: lambda sender, _: sender.send(body=b"[]")[0],
    401: lambda sender, _: sender.send(key="vr_user_wrong")[0],
    403: forbidden,
    404: lambda sender, _: sender.send("list_repo")[0],
    405: lambda sender, _: sender.send(method="GET")[0],
    408: too_slow,
    409: conflict,
    413: lambda sender, _: sender.send(body=b" " * (1024 * 1024 + 1))[0],
    415: lambda sender, _: sender.send("list_repos", b"{}", media_type="Content-Type: text/plain")[
        0
    ],
    429: too_many,
    500: internal,
    503: unavailable,
    507: full,
}


def test_every_documented_status_occurs(
    service: InProcessService, sender: Sender, case: Case
) -> None:
    assert set(PROVOKED) == {int(status) for status in ERROR_RESPONSES}
    for status, provoke in PROVOKED.items():
        with case(str(status)):
            assert provoke(sender, service) == status


def test_no_other_status_can_occur() -> None:
    known = {status for _, status in STATUS_OF} | {status for _, status, _ in TRANSIENT_ERRORS}
    assert {int(status) for status in known} <= set(PROVOKED)


def test_a_body_in_chunks_needs_no_length(sender: Sender) -> None:
    head = sender.client.request(
        "POST",
        f"{ACTION}list_repos",
        f"Authorization: Bearer {sender.key}",
        JSON,
        "Transfer-Encoding: chunked",
        "Connection: close",
    )
    status, document = sender.exchange(head + b"2\r\n{}\r\n0\r\n\r\n")
    assert (status, list(document)) == (200, ["result"])


def test_a_failure_names_its_incident(sender: Sender) -> None:
    with failing(RuntimeError("inner")):
        status, document = sender.send()
    assert status == 500
    assert document["incident"] in document["detail"]
    assert "inner" not in json.dumps(document)


def problem_of(response: httpx.Response) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["status"] == response.status_code
    assert document["type"].startswith("urn:visual-review:problem:")
    assert {"title", "detail"} <= document.keys()
    return document


NEAR_MISSES = (
    ("/api", None),
    ("/api/", None),
    ("/api/nothing", None),
    ("/api/rest", None),
    ("/api/rest/actions", None),
    ("/api/rest/actions/", None),
    ("/api/rest/action/list_repos", "/api/rest/actions/list_repos"),
    ("/api/rest/list_repos", "/api/rest/actions/list_repos"),
    ("/api/list_builds/", "/api/rest/actions/list_builds"),
    ("/api/openapi", "/api/openapi.json"),
    ("/api/openapi.json/", "/api/openapi.json"),
    ("/api/mcp/", "/api/mcp"),
    ("/api/mcp/x", "/api/mcp"),
    ("/api/ci/build", "/api/ci/builds"),
    ("/api/ci/builds/", "/api/ci/builds"),
    ("/api/ci/builds/build_x/finish/", "/api/ci/builds/build_x/finish"),
    ("/api/oauth/tokens", "/api/oauth/token"),
    ("/api/rest/action/approveBuild", "/api/rest/actions/approve_build"),
    ("/api/rest/action/approve_screenshot", "/api/rest/actions/review_screenshot"),
    ("/api/rest/v1/actions/delete_repo", "/api/rest/actions/remove_repo"),
    ("/api/rest/action/delete_build", "/api/rest/actions/get_build"),
    ("/api/rest/action/update_recording", "/api/rest/actions/get_recording"),
    ("/api/rest/action/approve_story", None),
    ("/api/webhooks/x", None),
    ("/api/ελληνικά/\u202e", None),
)


def test_a_near_miss_is_a_problem_document_with_the_right_path(
    service: InProcessService, case: Case
) -> None:
    with httpx.Client(base_url=service.url) as http:
        for path, meant in NEAR_MISSES:
            for method in ("GET", "POST", "OPTIONS", "DELETE"):
                with case(f"{method} {path}"):
                    response = http.request(method, path)
                    assert response.status_code == 404
                    detail = problem_of(response)["detail"]
                    assert ("Did you mean" in detail) is (meant is not None)
                    assert meant is None or f"'{meant}'" in detail
            with case(f"HEAD {path}"):
                response = http.head(path)
                assert (response.status_code, response.content) == (404, b"")
                assert response.headers["content-type"] == "application/problem+json"


def test_other_methods_are_problem_documents(service: InProcessService, case: Case) -> None:
    for method in ("GET", "PUT", "OPTIONS", "PROPFIND"):
        for path, allowed in (
            ("/api/rest/actions/list_repos", "POST"),
            ("/api/mcp", "POST"),
            ("/api/ci/builds", "POST"),
            ("/api/webhooks/hosts/host_x", "POST"),
        ):
            with case(f"{method} {path}"):
                response = httpx.request(method, f"{service.url}{path}")
                assert response.status_code == 405
                assert response.headers["allow"] == allowed
                problem_of(response)


def test_another_host_is_a_problem_document(service: InProcessService) -> None:
    url, headers = f"{service.url}/api/openapi.json", {"Host": "evil.example"}
    response = httpx.get(url, headers=headers)
    assert response.status_code == 400
    assert "Host" in problem_of(response)["detail"]
    assert "text/html" in httpx.get(f"{service.url}/x", headers=headers).headers["content-type"]


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
    # The signature holds; the signed body is no event.
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
