"""Every status that the OpenAPI document lists for actions occurs, and no other."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.raw_client import RawClient
from visual_review.actions import registry
from visual_review.api.credentials import WRONG_CREDENTIALS
from visual_review.api.errors import STATUS_OF, TRANSIENT_ERRORS
from visual_review.api.problem_schemas import ERROR_RESPONSES
from visual_review.config.http import bodies, spool

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
        """Return the status and the document of the response; ``length`` is what is announced."""
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
    """Let list_repos fail with ``error``, as no request can make it."""

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
    with patch.object(spool, "MAX_UNSIGNED_BYTES", 0):
        return sender.send(body=LARGE)[0]


def full(sender: Sender, _service: InProcessService) -> int:
    with patch.object(spool, "MINIMUM_FREE_BYTES", 1 << 60):
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
