"""Clients with a metadata document, fetched safely."""

import socket
import ssl
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from threading import Event
from typing import Any, ClassVar

import pytest
from django.core.cache import cache
from django.test import Client
from oauth2_provider.cimd import CIMDError
from oauth2_provider.models import Application
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.oauth.document_hosts import (
    Host,
    Responder,
    WaitingHost,
    send_response,
    send_slowly,
    serving,
    wait_for,
)
from tests.support.oauth.flow import REDIRECT, Flow, response_parameters
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.servers.client_documents import UNPRIVILEGED, make_certificate
from tests.support.threads import WAIT_SECONDS, racers
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.oauth.clients import find_client
from visual_review.api.oauth import client_documents
from visual_review.api.oauth.client_documents import MAX_BYTES, TIMEOUT_SECONDS, DocumentFetcher
from visual_review.kernel.clock import now


class LoopbackFetcher(DocumentFetcher):
    """The service's fetcher, with trust in the test's host on loopback."""

    certificate: ClassVar[Path]

    def permits(self, address: str) -> bool:
        return ip_address(address).is_loopback or super().permits(address)

    def permits_port(self, port: int) -> bool:
        return port >= UNPRIVILEGED

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.certificate)


class AnyPortFetcher(DocumentFetcher):
    """The service's fetcher, for hosts that a test can serve."""

    def permits_port(self, port: int) -> bool:
        return port >= UNPRIVILEGED


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    certificate = tmp_path_factory.mktemp("certificates") / "localhost.pem"
    make_certificate(certificate)
    LoopbackFetcher.certificate = certificate
    with serving(certificate) as host:
        yield host


@pytest.fixture(autouse=True)
def loopback_host(host: Host, settings: Settings, db: None) -> None:  # noqa: ARG001 - The cache is a table.
    settings.OAUTH2_PROVIDER = {
        **settings.OAUTH2_PROVIDER,
        "CIMD_METADATA_FETCHER": LoopbackFetcher,
    }
    cache.clear()
    host.reset()


def read(host: Host) -> dict[str, Any]:
    return LoopbackFetcher().fetch(host.url)[0]


def test_a_described_client_signs_in(host: Host, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.url)
    page = flow.ask()
    assert (page.context["client"].name, page.context["client"].host) == ("Documented", "localhost")
    tokens = flow.tokens(personas.bob)
    caller = caller_of_bearer(tokens["access_token"])
    assert (caller.client, caller.client_id) == ("Documented", host.url)
    assert flow.refresh(tokens["refresh_token"]).status_code == 200
    # Fetched only once.
    assert len(host.seen) == 1
    head = host.seen[0].decode()
    assert head.startswith("GET /client.json HTTP/1.1\r\n")
    assert f"\r\nHost: localhost:{host.port}\r\n" in head
    assert "cookie" not in head.lower()


def test_anonymous_requests_fetch_nothing(host: Host, client: Client, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.url)
    client.get(flow.url())
    client.get(flow.url(prompt="none"))
    flow.exchange("x")
    assert host.connections == 0


def test_other_flows_in_a_document_are_not_granted(host: Host) -> None:
    host.serve_document(
        grant_types=["authorization_code", "refresh_token", "client_credentials"],
        redirect_uris=[REDIRECT, "http://evil.example/", "https://client.example/cb"],
        client_name="  Two\nlines ",
        client_uri="https://client.example",
    )
    row = find_client(host.url)
    assert row.redirect_uris.split() == [REDIRECT, "https://client.example/cb"]
    assert (row.name, row.client_type) == ("Two lines", "public")
    assert row.authorization_grant_type == "authorization-code"


REJECTED: list[dict[str, Any]] = [
    {"client_id": "https://other.example/client.json"},
    {"client_id": None},
    {"client_secret": "x"},
    {"token_endpoint_auth_method": "client_secret_basic"},
    {"token_endpoint_auth_method": "private_key_jwt"},
    {"redirect_uris": ["http://evil.example/"]},
    {"redirect_uris": []},
    {"grant_types": ["client_credentials"]},
    {"response_types": ["token"]},
]


def test_documents_that_are_rejected(host: Host, case: Case) -> None:
    for changes in REJECTED:
        with case(changes):
            host.reset()
            host.serve_document(**changes)
            assert find_client(host.url) is None
            assert host.connections == 1
            assert not Application.objects.exists()


INVALID_RESPONSES: list[tuple[str, Responder]] = [
    ("a redirect", send_response(302, b"", "Location: https://localhost/other.json")),
    (
        "a redirect inside",
        send_response(301, b"", "Location: http://169.254.169.254/latest/meta-data"),
    ),
    ("not found", send_response(404, b"{}")),
    ("a failure", send_response(500, b"{}")),
    ("no content", send_response(204, b"")),
    ("a page", send_response(200, b"{}", kind="text/html")),
    ("half an object", send_response(200, b"{")),
    ("a list", send_response(200, b"[]")),
    ("bytes that are no text", send_response(200, b"\xff")),
    ("very deep", send_response(200, b"[" * 10_000)),
    ("a name twice", send_response(200, b'{"client_id": "a", "client_id": "b"}')),
    ("ten megabytes", send_response(200, b"x" * 10_000_000)),
    ("a long head", send_response(200, b"{}", "X: " + "y" * 100_000)),
    ("packed content", send_response(200, b"\x1f\x8b\x08", "Content-Encoding: gzip")),
    ("another protocol", lambda connection: connection.sendall(b"no http at all\r\n\r\n")),
    ("a closed connection", lambda connection: connection.close()),
]


def test_invalid_responses_are_rejected(
    host: Host, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So long that only waiting for the end takes as long, however busy the machine is.
    monkeypatch.setattr(client_documents, "TIMEOUT_SECONDS", 60.0)
    for name, answer in INVALID_RESPONSES:
        with case(name):
            host.reset()
            host.respond = answer
            began = time.monotonic()
            assert find_client(host.url) is None
            assert time.monotonic() - began < client_documents.TIMEOUT_SECONDS
            # No redirect is followed, and nothing is retried.
            assert host.connections == 1
            assert find_client(host.url) is None
            assert host.connections == 1


def test_the_size_limit(host: Host) -> None:
    body = b'{"client_id": "%s", "redirect_uris": ["%s"], "x": "' % (
        host.url.encode(),
        REDIRECT.encode(),
    )
    fitting = body + b"x" * (MAX_BYTES - len(body) - 2) + b'"}'
    host.respond = send_response(200, fitting)
    assert read(host)["client_id"] == host.url
    host.respond = send_response(200, fitting + b" ")
    with pytest.raises(CIMDError, match="larger than"):
        read(host)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"


SLOW: list[tuple[str, Responder]] = [
    ("nothing", wait_for(5)),
    ("a head byte by byte", send_slowly(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90, 0.02)),
    ("a body byte by byte", send_slowly(HEAD + b"{" * 9000, 0.02)),
    ("a head alone", lambda connection: (connection.sendall(HEAD), time.sleep(5))),
]


def test_slow_hosts_time_out(host: Host, monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    monkeypatch.setattr(client_documents, "TIMEOUT_SECONDS", 0.3)
    for name, answer in SLOW:
        with case(name):
            ended = Event()
            host.respond = lambda connection: (answer(connection), ended.set())  # noqa: B023 - It is called in this round.
            with pytest.raises(CIMDError):
                read(host)
            assert not ended.is_set()


def test_a_handshake_that_never_ends_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_documents, "TIMEOUT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(CIMDError):
            LoopbackFetcher().fetch(f"https://localhost:{silent.getsockname()[1]}/client.json")
        assert time.monotonic() - began < TIMEOUT_SECONDS


def test_the_limit_is_five_seconds() -> None:
    assert TIMEOUT_SECONDS == 5.0


@pytest.mark.django_db(transaction=True)
def test_simultaneous_fetches_are_limited(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_documents, "TIMEOUT_SECONDS", WAIT_SECONDS)
    unanswered = WaitingHost(4)
    host.respond = unanswered.respond
    fetches = [partial(find_client, f"{host.url}?{number}") for number in range(8)]
    with racers(8) as pool:
        assert pool.race(*map(unanswered.then_returned, fetches)) == [None] * 8
    assert host.connections == 4


def test_this_machine_and_its_network_are_never_contacted(host: Host, case: Case) -> None:
    """With the service's own rule for IP addresses."""
    for name in (
        "localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
        socket.gethostname(),
        "169.254.169.254",
        "10.0.0.1",
        "unknown.invalid",
    ):
        with case(name):
            with pytest.raises(CIMDError):
                AnyPortFetcher().fetch(f"https://{name}:{host.port}/client.json")
            assert host.connections == 0


def test_a_host_with_one_private_address_is_rejected(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both(*_: object, **__: object) -> list[Any]:
        return [(0, 0, 0, "", (address, host.port)) for address in ("1.1.1.1", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with pytest.raises(CIMDError, match="not on the public internet"):
        AnyPortFetcher().fetch(f"https://client.example:{host.port}/client.json")
    assert host.connections == 0


def test_a_name_is_resolved_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second lookup could return another address than the checked one."""
    looked: list[str] = []
    real = socket.getaddrinfo

    def counting(name: str, *more: Any, **named: Any) -> list[Any]:  # noqa: ANN401 - As it has it.
        looked.append(name)
        return list(real(name, *more, **named))

    monkeypatch.setattr(socket, "getaddrinfo", counting)
    read(host)
    assert looked.count("localhost") == 1


def test_a_host_without_a_trusted_certificate_is_rejected(host: Host) -> None:
    class DefaultContextFetcher(LoopbackFetcher):
        def context(self) -> ssl.SSLContext:
            return DocumentFetcher.context(self)

    with pytest.raises(CIMDError, match="CERTIFICATE_VERIFY_FAILED"):
        DefaultContextFetcher().fetch(host.url)
    with pytest.raises(CIMDError, match=r"(Hostname|IP address) mismatch"):
        LoopbackFetcher().fetch(host.url.replace("localhost", "127.0.0.1"))
    assert not host.seen


@pytest.mark.usefixtures("without_rate_limits")
def test_client_ids_that_are_not_document_urls(personas: Personas, case: Case) -> None:
    browser = signed_in(personas.bob)
    for client_id in (
        "http://localhost:1/client.json",
        "https://localhost:1",
        "https://user@localhost:1/client.json",
        "https://localhost:1/client.json#part",
        "https://localhost:1/a/../client.json",
        "https://localhost:1/./client.json",
        "https://localhost:99999/client.json",
        "https:///client.json",
        "https://localhost:1/client\\.json",
        "https://localhost:1/cli ent.json",
        "https://localhost:1/client.json\r\nX: y",
        "ftp://localhost:1/client.json",
        "https://localhost:1/" + "x" * 300,
    ):
        with case(repr(client_id)):
            assert find_client(client_id) is None
            assert Flow(client_id, browser).ask().status_code == 400


def test_a_document_is_fetched_again_after_an_hour(host: Host, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.url)
    assert flow.ask().status_code == 200
    expires = Application.objects.get().cimd_expires_at
    assert timedelta(minutes=59) < expires - now() <= timedelta(hours=1)
    host.serve_document(client_name="Renamed", redirect_uris=["https://client.example/cb"])
    assert flow.ask().context["client"].name == "Documented"
    Application.objects.update(cimd_expires_at=now())
    # A redirect URI removed by the client no longer works.
    assert flow.ask().status_code == 400
    assert Application.objects.get().name == "Renamed"


def test_a_temporary_failure_of_the_host_locks_no_one_out(host: Host, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.url)
    flow.ask()
    host.respond = send_response(503, b"{}")
    Application.objects.update(cimd_expires_at=now())
    assert "code" in response_parameters(flow.decide(personas.bob))


def test_a_document_cannot_take_over_a_registered_client(host: Host) -> None:
    Application.objects.create(
        client_id=host.url,
        name="Registered",
        redirect_uris="https://registered.example/cb",
        client_type="public",
        authorization_grant_type="authorization-code",
        registration_source="dcr",
    )
    assert find_client(host.url).name == "Registered"
    assert host.connections == 0
