"""Clients that are described by a document: fetched with care from wherever they say it lies."""

import socket
import ssl
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.core.cache import cache
from django.test import Client
from oauth2_provider.cimd import CIMDError
from oauth2_provider.models import Application
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.oauth.document_hosts import Answer, Host, drips, sends, serving, waits
from tests.support.oauth.flow import REDIRECT, Flow, response_parameters
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.servers.client_documents import make_certificate
from tests.support.threads import racers
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.oauth.clients import find_client
from visual_review.api.oauth import client_documents
from visual_review.api.oauth.client_documents import BYTES, SECONDS, DocumentFetcher
from visual_review.kernel.clock import now


class LoopbackFetcher(DocumentFetcher):
    """The service's own, which knows the test's host and lets loopback pass."""

    certificate: ClassVar[Path]

    def permits(self, address: str) -> bool:
        return ip_address(address).is_loopback or super().permits(address)

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.certificate)


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
    return LoopbackFetcher().fetch(host.address)[0]


def test_a_described_client_signs_in(host: Host, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.address)
    page = flow.ask()
    assert (page.context["client"].name, page.context["client"].host) == ("Documented", "localhost")
    tokens = flow.tokens(personas.bob)
    caller = caller_of_bearer(tokens["access_token"])
    assert (caller.client, caller.client_id) == ("Documented", host.address)
    assert flow.refresh(tokens["refresh_token"]).status_code == 200
    # Once for all of it.
    assert len(host.seen) == 1
    head = host.seen[0].decode()
    assert head.startswith("GET /client.json HTTP/1.1\r\n")
    assert f"\r\nHost: localhost:{host.port}\r\n" in head
    assert "cookie" not in head.lower()


def test_anonymous_requests_fetch_nothing(host: Host, client: Client, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.address)
    client.get(flow.address())
    client.get(flow.address(prompt="none"))
    flow.exchange("x")
    assert host.connections == 0


def test_other_flows_in_a_document_are_not_granted(host: Host) -> None:
    host.tells(
        grant_types=["authorization_code", "refresh_token", "client_credentials"],
        redirect_uris=[REDIRECT, "http://evil.example/", "https://client.example/cb"],
        client_name="  Two\nlines ",
        client_uri="https://client.example",
    )
    row = find_client(host.address)
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


def test_documents_that_describe_no_client_of_ours(host: Host, case: Case) -> None:
    for changes in REJECTED:
        with case(changes):
            host.reset()
            host.tells(**changes)
            assert find_client(host.address) is None
            assert host.connections == 1
            assert not Application.objects.exists()


NO_DOCUMENTS: list[tuple[str, Answer]] = [
    ("a redirect", sends(302, b"", "Location: https://localhost/other.json")),
    ("a redirect inside", sends(301, b"", "Location: http://169.254.169.254/latest/meta-data")),
    ("not found", sends(404, b"{}")),
    ("a failure", sends(500, b"{}")),
    ("no content", sends(204, b"")),
    ("a page", sends(200, b"{}", kind="text/html")),
    ("half an object", sends(200, b"{")),
    ("a list", sends(200, b"[]")),
    ("bytes that are no text", sends(200, b"\xff")),
    ("very deep", sends(200, b"[" * 10_000)),
    ("a name twice", sends(200, b'{"client_id": "a", "client_id": "b"}')),
    ("ten megabytes", sends(200, b"x" * 10_000_000)),
    ("a long head", sends(200, b"{}", "X: " + "y" * 100_000)),
    ("packed content", sends(200, b"\x1f\x8b\x08", "Content-Encoding: gzip")),
    ("another protocol", lambda connection: connection.sendall(b"no http at all\r\n\r\n")),
    ("a closed connection", lambda connection: connection.close()),
]


def test_responses_that_are_no_document(host: Host, case: Case) -> None:
    for name, answer in NO_DOCUMENTS:
        with case(name):
            host.reset()
            host.answer = answer
            began = time.monotonic()
            assert find_client(host.address) is None
            assert time.monotonic() - began < SECONDS
            # Neither a redirect nor a second try.
            assert host.connections == 1
            assert find_client(host.address) is None
            assert host.connections == 1


def test_the_size_is_bounded_exactly(host: Host) -> None:
    body = b'{"client_id": "%s", "redirect_uris": ["%s"], "x": "' % (
        host.address.encode(),
        REDIRECT.encode(),
    )
    fitting = body + b"x" * (BYTES - len(body) - 2) + b'"}'
    host.answer = sends(200, fitting)
    assert read(host)["client_id"] == host.address
    host.answer = sends(200, fitting + b" ")
    with pytest.raises(CIMDError, match="larger than"):
        read(host)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"


SLOW: list[tuple[str, Answer]] = [
    ("nothing", waits(5)),
    ("a head byte by byte", drips(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90, 0.02)),
    ("a body byte by byte", drips(HEAD + b"{" * 9000, 0.02)),
    ("a head alone", lambda connection: (connection.sendall(HEAD), time.sleep(5))),
]


def test_slow_hosts_are_abandoned_in_time(
    host: Host, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.setattr(client_documents, "SECONDS", 0.3)
    for name, answer in SLOW:
        with case(name):
            host.answer = answer
            began = time.monotonic()
            with pytest.raises(CIMDError):
                read(host)
            assert time.monotonic() - began < 1.5


def test_a_handshake_that_never_ends_is_abandoned_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client_documents, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(CIMDError):
            LoopbackFetcher().fetch(f"https://localhost:{silent.getsockname()[1]}/client.json")
        assert time.monotonic() - began < 1.5


def test_the_limit_is_five_seconds() -> None:
    assert SECONDS == 5.0


@pytest.mark.django_db(transaction=True)
def test_only_so_many_fetches_at_once(host: Host) -> None:
    host.answer = waits(1)
    ids = [f"{host.address}?{number}" for number in range(8)]
    with racers(8) as pool:
        assert pool.race(*[partial(find_client, each) for each in ids]) == [None] * 8
    assert host.connections == 4


def test_this_machine_and_its_network_are_never_asked(host: Host, case: Case) -> None:
    """With the service's own rule for addresses."""
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
                DocumentFetcher().fetch(f"https://{name}:{host.port}/client.json")
            assert host.connections == 0


def test_a_host_with_one_address_inside_is_refused_whole(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both(*_: object, **__: object) -> list[Any]:
        return [(0, 0, 0, "", (address, host.port)) for address in ("1.1.1.1", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with pytest.raises(CIMDError, match="not on the public internet"):
        DocumentFetcher().fetch(f"https://client.example:{host.port}/client.json")
    assert host.connections == 0


def test_a_name_is_looked_up_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look-up could lead elsewhere than the first, which was checked."""
    looked: list[str] = []
    real = socket.getaddrinfo

    def counting(name: str, *more: Any, **named: Any) -> list[Any]:  # noqa: ANN401 - As it has it.
        looked.append(name)
        return list(real(name, *more, **named))

    monkeypatch.setattr(socket, "getaddrinfo", counting)
    read(host)
    assert looked.count("localhost") == 1


def test_a_host_without_a_trusted_certificate_is_refused(host: Host) -> None:
    class Usual(LoopbackFetcher):
        def context(self) -> ssl.SSLContext:
            return DocumentFetcher.context(self)

    with pytest.raises(CIMDError, match="CERTIFICATE_VERIFY_FAILED"):
        Usual().fetch(host.address)
    with pytest.raises(CIMDError, match=r"(Hostname|IP address) mismatch"):
        LoopbackFetcher().fetch(host.address.replace("localhost", "127.0.0.1"))
    assert not host.seen


@pytest.mark.usefixtures("without_rate_limits")
def test_ids_that_are_no_url_of_a_document(personas: Personas, case: Case) -> None:
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


def test_a_document_is_read_again_after_an_hour(host: Host, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.address)
    assert flow.ask().status_code == 200
    expires = Application.objects.get().cimd_expires_at
    assert timedelta(minutes=59) < expires - now() <= timedelta(hours=1)
    host.tells(client_name="Renamed", redirect_uris=["https://client.example/cb"])
    assert flow.ask().context["client"].name == "Documented"
    Application.objects.update(cimd_expires_at=now())
    # What the client withdrew is not answered any more.
    assert flow.ask().status_code == 400
    assert Application.objects.get().name == "Renamed"


def test_a_host_that_fails_for_a_while_locks_no_one_out(host: Host, personas: Personas) -> None:
    flow = Flow.of(personas.bob, host.address)
    flow.ask()
    host.answer = sends(503, b"{}")
    Application.objects.update(cimd_expires_at=now())
    assert "code" in response_parameters(flow.decide(personas.bob))


def test_a_document_cannot_take_over_a_registered_client(host: Host) -> None:
    Application.objects.create(
        client_id=host.address,
        name="Registered",
        redirect_uris="https://registered.example/cb",
        client_type="public",
        authorization_grant_type="authorization-code",
        registration_source="dcr",
    )
    assert find_client(host.address).name == "Registered"
    assert host.connections == 0
