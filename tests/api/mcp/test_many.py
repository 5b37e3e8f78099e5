"""The MCP endpoint on a real port: many callers at once, and lost clients and databases."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import (
    PATH,
    PROTOCOL_VERSIONS,
    ProtocolVersion,
    headers_of,
    params_of,
)
from tests.support.personas import Personas
from tests.support.servers.web import web_server
from visual_review.accounts.callers import Caller
from visual_review.actions import registry
from visual_review.actions.action import Outcome
from visual_review.audit.models import AuditEntry
from visual_review.config.http.asgi import THREADS
from visual_review.repositories.models import Repository

pytestmark = pytest.mark.django_db(transaction=True)

CALLS = 50
AGAIN = "The database did not respond. Nothing was changed; try again."
OTHERS = "datname = current_database() AND pid <> pg_backend_pid()"


@dataclass(frozen=True)
class Service:
    address: str
    key: str

    def request(
        self,
        number: int,
        method: str,
        params: dict[str, Any],
        version: ProtocolVersion,
        key: str | None = None,
    ) -> tuple[bytes, dict[str, str]]:
        message = {"id": number, "method": method, "params": params_of(params, version)}
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return body, headers_of(self.key if key is None else key, method, params, version)

    def call(
        self, tool: str, arguments: dict[str, Any], version: ProtocolVersion, seconds: float = 30
    ) -> Any:  # noqa: ANN401 - Any JSON.
        params = {"name": tool, "arguments": arguments}
        body, headers = self.request(1, "tools/call", params, version)
        response = httpx.post(
            f"{self.address}{PATH}", content=body, headers=headers, timeout=seconds
        )
        assert response.status_code == 200, response.text
        return response.json()["result"]


@pytest.fixture
def service(personas: Personas, settings: Settings) -> Iterator[Service]:
    key = user_key(personas.alice)
    with web_server(settings) as address:
        yield Service(address, key)


def connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {OTHERS}")  # noqa: S608 - Ours.
        return int(cursor.fetchone()[0])


def end_connections() -> None:
    """End all connections but the test's own, like a restart of PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {OTHERS}")  # noqa: S608 - As above.


async def ask_at_once(service: Service, count: int) -> list[httpx.Response]:
    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(base_url=service.address, limits=limits, timeout=60) as client:

        async def ask(number: int) -> httpx.Response:
            version, kind = PROTOCOL_VERSIONS[number % 2], number % 5
            named = {"fullName": f"acme/at-once-{number}"}
            body, headers = [
                service.request(number, "tools/list", {}, version),
                service.request(
                    number, "tools/call", {"name": "connect_repo", "arguments": named}, version
                ),
                service.request(
                    number, "tools/call", {"name": "connect_repo", "arguments": {}}, version
                ),
                service.request(number, "tools/call", {"name": f"no-{number}"}, version),
                service.request(number, "tools/list", {}, version, key="vr_user_wrong"),
            ][kind]
            return await client.post(
                PATH, content=body if number % 7 else body[:-1], headers=headers
            )

        return await asyncio.gather(*(ask(number) for number in range(count)))


def assert_is_the_answer_to(number: int, response: httpx.Response) -> None:
    kind, document = number % 5, response.json()
    if kind == 4:
        assert (response.status_code, document["status"]) == (401, 401)
    elif number % 7 == 0:
        assert (response.status_code, document["error"]["code"]) == (400, -32700)
    else:
        assert document["id"] == number
        if kind == 0:
            assert document["result"]["tools"]
        elif kind == 1:
            repo = document["result"]["structuredContent"]["repo"]
            assert repo["fullName"] == f"acme/at-once-{number}"
        elif kind == 2:
            assert "/fullName" in document["result"]["content"][0]["text"]
        else:
            assert document["error"]["message"] == f"There is no tool 'no-{number}'."


def test_fifty_concurrent_calls_each_get_their_own_response(service: Service) -> None:
    before = connections()
    responses = asyncio.run(ask_at_once(service, CALLS))
    for number, response in enumerate(responses):
        assert_is_the_answer_to(number, response)
    made = [number for number in range(CALLS) if number % 5 == 1 and number % 7]
    assert Repository.objects.count() == AuditEntry.objects.count() == len(made)
    assert connections() - before <= THREADS


def slow_connecting(monkeypatch: pytest.MonkeyPatch, seconds: float) -> threading.Event:
    """Let connect_repo wait in the database; the event is set when one has begun to."""
    known = registry._PUBLISHED_BY_NAME  # noqa: SLF001 - No other way in.
    action, begun = known["connect_repo"], threading.Event()

    def run(caller: Caller, values: Any) -> Outcome[Any]:  # noqa: ANN401 - The action's own input.
        outcome = action.prepare(caller, values)()
        begun.set()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(%s)", [seconds])
        return outcome

    monkeypatch.setitem(known, "connect_repo", replace(action, run=run))
    return begun


def test_a_call_whose_client_leaves_is_still_done_whole(
    case: Case, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version), monkeypatch.context() as patch:
            name = f"acme/left-{version}"
            begun = slow_connecting(patch, 0.6)
            call_and_leave(service, name, version, begun)
            connected = Repository.objects.filter(full_name=name)
            wait_until(connected.exists)
            assert AuditEntry.objects.filter(target_id=connected.get().id).count() == 1
            repos = service.call("list_repos", {}, version)["structuredContent"]["repos"]
            assert [repo["fullName"] for repo in repos].count(name) == 1


def call_and_leave(
    service: Service, name: str, version: ProtocolVersion, begun: threading.Event
) -> None:
    """Send a call, and close the connection as soon as the call has begun."""
    params = {"name": "connect_repo", "arguments": {"fullName": name}}
    body, headers = service.request(1, "tools/call", params, version)
    address = urlsplit(service.address)
    headers |= {"Host": address.netloc, "Content-Length": str(len(body))}
    lines = [f"POST {PATH} HTTP/1.1", *(f"{key}: {value}" for key, value in headers.items())]
    with socket.create_connection((address.hostname, address.port)) as raw:
        raw.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        assert begun.wait(30)


def wait_until(happened: Any) -> None:  # noqa: ANN401 - Any function without arguments.
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_closed_database_connections_are_opened_again(case: Case, service: Service) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            asyncio.run(ask_at_once(service, 20))
            end_connections()
            for _ in range(THREADS * 2):
                assert not service.call("list_repos", {}, version)["isError"]


def test_a_call_that_loses_its_database_gets_advice_to_retry(
    case: Case, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            arguments = {"fullName": f"acme/lost-{version}"}
            with monkeypatch.context() as patch, ThreadPoolExecutor(1) as pool:
                begun = slow_connecting(patch, 20)
                pending = pool.submit(service.call, "connect_repo", arguments, version)
                assert begun.wait(30)
                end_connections()
                response = pending.result()
            assert response["isError"]
            assert response["content"][0]["text"] == f"Service Unavailable: {AGAIN}"
            assert not Repository.objects.filter(full_name=arguments["fullName"]).exists()
            assert not service.call("connect_repo", arguments, version)["isError"]


def exchange(service: Service, request: bytes, *, ends: bool = False) -> bytes:
    """Send raw bytes over a new socket, and return the response; ``ends`` leaves after sending."""
    parts = urlsplit(service.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as raw:
        raw.sendall(request)
        if ends:
            raw.shutdown(socket.SHUT_WR)
        found = b""
        while part := raw.recv(65536):
            found += part
        return found


def raw_request(service: Service, body: bytes, *extra: str) -> bytes:
    version: ProtocolVersion = "2025-11-25"
    _, headers = service.request(1, "tools/call", {"name": "connect_repo"}, version)
    lines = [f"{name}: {value}" for name, value in headers.items()]
    host = f"Host: {urlsplit(service.address).netloc}"
    head = "\r\n".join([f"POST {PATH} HTTP/1.1", host, "Connection: close", *lines, *extra])
    return head.encode() + b"\r\n\r\n" + body


def test_bodies_that_come_in_parts_or_halves(service: Service) -> None:
    params = {"name": "connect_repo", "arguments": {"fullName": "acme/parts"}}
    body, _ = service.request(1, "tools/call", params, "2025-11-25")

    half = raw_request(service, body, f"Content-Length: {len(body) + 1}")
    assert exchange(service, half, ends=True) == b""
    assert not Repository.objects.exists()

    parts = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:9], body[9:], b""))
    chunked = raw_request(service, parts, "Transfer-Encoding: chunked")
    found = exchange(service, chunked)
    assert found.startswith(b"HTTP/1.1 200 ")
    assert Repository.objects.get().full_name == "acme/parts"


def test_a_second_host_or_length_is_rejected(service: Service) -> None:
    body, _ = service.request(1, "tools/list", {}, "2025-11-25")
    length = f"Content-Length: {len(body)}"
    for extra in ("Host: evil.com", "Content-Length: 5", "Authorization: Bearer other"):
        status = exchange(service, raw_request(service, body, length, extra))[:10]
        assert status == b"HTTP/1.1 4", extra
    assert exchange(service, raw_request(service, body, length)).startswith(b"HTTP/1.1 200 ")
