"""Security cases of client documents, through the page a person would be lured to."""

import gzip
import json
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from oauth2_provider.models import Application
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.database import current_personas
from tests.support.oauth.assertions import (
    assert_error_page,
    assert_nothing_granted,
    assert_nothing_registered,
)
from tests.support.oauth.document_hosts import (
    Host,
    Responder,
    WaitingHost,
    send_response,
    send_slowly,
    serving,
    wait_for,
)
from tests.support.oauth.flow import REDIRECT, Flow
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.servers.client_documents import (
    CERTIFICATE_VARIABLE,
    LocalFetcher,
    make_certificate,
)
from tests.support.threads import WAIT_SECONDS, racers
from visual_review.accounts.models import CacheEntry
from visual_review.accounts.oauth.clients import find_client
from visual_review.api.oauth import client_documents

FETCHER = "visual_review.api.oauth.client_documents.DocumentFetcher"
WEB = "https://client.example/callback"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("certificates") / "localhost.pem"
    make_certificate(file)
    return file


@pytest.fixture(scope="module")
def served(certificate: Path) -> Iterator[Host]:
    with serving(certificate) as host:
        yield host


@pytest.fixture
def host(
    served: Host, certificate: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Host:
    """A host on this machine, allowed for the service in these tests."""
    monkeypatch.setenv(CERTIFICATE_VARIABLE, str(certificate))
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "CIMD_METADATA_FETCHER": LocalFetcher}
    served.reset()
    return served


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of begun connections; no address responds."""
    addresses: list[str] = []

    def connect(address: tuple[str, int], *_: object, **__: object) -> None:
        addresses.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    return addresses


@pytest.fixture
def browser(personas: Personas) -> Client:
    return signed_in(personas.bob)


def ask(browser: Client, client_id: str) -> Any:  # noqa: ANN401 - As a test's client has it.
    return Flow(client_id, browser).ask()


INSIDE = [
    ("this machine", "127.0.0.1"),
    ("this machine by name", "localhost"),
    ("this machine by name, with a dot", "localhost."),
    ("this machine by a name below", "app.localhost"),
    ("this machine as one number", "2130706433"),
    ("this machine in octal", "0177.0.0.1"),
    ("this machine in hexadecimal", "0x7f.0.0.1"),
    ("this machine as one number in hexadecimal", "0x7f000001"),
    ("this machine shortened", "127.1"),
    ("another address of this machine", "127.255.255.254"),
    ("every address", "0.0.0.0"),  # noqa: S104 - An address to refuse.
    ("zero", "0"),
    ("this machine in IPv6", "[::1]"),
    ("every address in IPv6", "[::]"),
    ("mapped into IPv6", "[::ffff:127.0.0.1]"),
    ("mapped into IPv6, in hexadecimal", "[::ffff:7f00:1]"),
    ("compatible with IPv6", "[::127.0.0.1]"),
    ("translated by NAT64", "[64:ff9b::7f00:1]"),
    ("tunneled by 6to4", "[2002:7f00:1::]"),
    ("the cloud's own data", "169.254.169.254"),
    ("the cloud's own data in IPv6", "[fd00:ec2::254]"),
    ("the cloud's own data, mapped", "[::ffff:169.254.169.254]"),
    ("a private network", "10.0.0.1"),
    ("another private network", "172.31.255.255"),
    ("a network at home", "192.168.1.1"),
    ("a carrier's network", "100.64.0.1"),
    ("a private network in IPv6", "[fd00::1]"),
    ("the link", "[fe80::1]"),
    ("the link with its name", "[fe80::1%25lo]"),
    ("broadcast", "255.255.255.255"),
    ("multicast", "224.0.0.1"),
    ("this machine's own name", socket.gethostname()),
    ("an unknown name", "unknown.invalid"),
    ("a very long name", "a" * 100 + ".example"),
    ("an empty label", "a..example"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_no_host_inside_is_ever_asked(
    connected: list[str], browser: Client, settings: Settings, case: Case
) -> None:
    """The draft on client ID metadata documents, 6.5; with the service's own fetcher."""
    assert settings.OAUTH2_PROVIDER["CIMD_METADATA_FETCHER"] == FETCHER
    for name, host in INSIDE:
        with case(name):
            connected.clear()
            assert_error_page(ask(browser, f"https://{host}:8443/client.json"))
            assert connected == []
            assert_nothing_registered()


def _resolving(*answers: list[str]) -> Any:  # noqa: ANN401 - As the system's resolver.
    left = list(answers)

    def look_up(_name: str, port: int, *_: object, **__: object) -> list[Any]:
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    return look_up


NAMES: list[tuple[str, list[list[str]], list[str]]] = [
    ("leads to this machine", [["127.0.0.1"]], []),
    ("leads to the cloud's own data", [["169.254.169.254"]], []),
    ("leads inside as well", [["93.184.215.14", "10.0.0.1"]], []),
    ("leads inside first", [["10.0.0.1", "93.184.215.14"]], []),
    ("leads nowhere", [[]], []),
    ("leads inside at the second look", [["93.184.215.14"], ["127.0.0.1"]], ["93.184.215.14"]),
]


def test_names_that_resolve_to_hosts_inside(
    connected: list[str], browser: Client, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    """DNS rebinding: only the checked address is asked, ever."""
    for name, answers, asked in NAMES:
        with case(name), monkeypatch.context() as patched:
            connected.clear()
            patched.setattr(socket, "getaddrinfo", _resolving(*answers))
            assert_error_page(ask(browser, "https://client.example/client.json"))
            assert connected == asked


ADDRESSES = [
    ("plain http", "http://localhost:{port}/client.json"),
    ("another scheme", "ftp://localhost:{port}/client.json"),
    ("a file", "file:///etc/passwd"),
    ("a user", "https://user@localhost:{port}/client.json"),
    ("a user and a password", "https://a:b@localhost:{port}/client.json"),
    ("an empty user", "https://@localhost:{port}/client.json"),
    ("a fragment", "https://localhost:{port}/client.json#x"),
    ("an empty fragment", "https://localhost:{port}/client.json#"),
    ("no path", "https://localhost:{port}"),
    ("a dot segment", "https://localhost:{port}/./client.json"),
    ("two dots", "https://localhost:{port}/x/../client.json"),
    ("a dot segment at the end", "https://localhost:{port}/client.json/.."),
    ("an encoded dot segment", "https://localhost:{port}/x/%2e%2e/client.json"),
    ("an encoded dot segment in capitals", "https://localhost:{port}/%2E/client.json"),
    ("a backslash", "https://localhost:{port}\\@evil.example/client.json"),
    ("a blank", "https://localhost:{port}/cli ent.json"),
    ("a line break", "https://localhost:{port}/client.json\r\nX-Evil: 1"),
    ("a tab", "https://local\thost:{port}/client.json"),
    ("another alphabet", "https://localhost:{port}/cli\u0435nt.json"),
    ("capitals in the scheme", "HTTPS://localhost:{port}/client.json"),
    ("a port beyond all", "https://localhost:99999/client.json"),
    ("port zero", "https://localhost:0/client.json"),
    ("a port of letters", "https://localhost:x/client.json"),
    ("text behind brackets", "https://[::1]evil:{port}/client.json"),
    ("no host", "https:///client.json"),
    ("more than fits", "https://localhost:{port}/" + "x" * 300),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_client_ids_that_are_no_url_of_a_document(host: Host, browser: Client, case: Case) -> None:
    """The draft, 3: https, a path, nothing that two readers understand differently."""
    for name, client_id in ADDRESSES:
        with case(name):
            host.reset()
            assert_error_page(ask(browser, client_id.format(port=host.port)))
            assert host.connections == 0
            assert_nothing_registered()


CONTENTS: list[tuple[str, dict[str, Any]]] = [
    ("another id (the draft, 4.1)", {"client_id": "https://localhost/other.json"}),
    ("no id", {"client_id": None}),
    ("an id that is a list", {"client_id": ["x"]}),
    ("no redirects", {"redirect_uris": None}),
    ("an empty list of redirects", {"redirect_uris": []}),
    ("foreign plain http alone", {"redirect_uris": ["http://evil.example/cb"]}),
    ("a script as redirect", {"redirect_uris": ["javascript:alert(1)"]}),
    ("redirects that are a text", {"redirect_uris": REDIRECT}),
    ("a thousand redirects", {"redirect_uris": [f"{WEB}/{n}" for n in range(300)]}),
    ("a shared secret (the draft, 4.1)", {"client_secret": "known to all"}),
    ("an empty secret", {"client_secret": ""}),
    ("the end of a secret (the draft, 4.1)", {"client_secret_expires_at": 0}),
    ("a method with a secret", {"token_endpoint_auth_method": "client_secret_post"}),
    ("the usual method", {"token_endpoint_auth_method": "client_secret_basic"}),
    ("a shared assertion", {"token_endpoint_auth_method": "client_secret_jwt"}),
    ("a signed assertion", {"token_endpoint_auth_method": "private_key_jwt"}),
    ("implicit alone", {"grant_types": ["implicit"]}),
    ("password alone", {"grant_types": ["password"]}),
    ("tokens as response", {"response_types": ["token"]}),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_documents_that_are_rejected(host: Host, browser: Client, case: Case) -> None:
    for name, changes in CONTENTS:
        with case(name):
            host.reset()
            host.serve_document(**changes)
            assert_error_page(ask(browser, host.url))
            assert host.connections == 1
            assert_nothing_registered()


# Each body is a right document, so that the named fault is the only one.
ANSWERS: list[tuple[str, Callable[[bytes], Responder]]] = [
    ("a redirect", lambda body: send_response(302, body, "Location: https://localhost/x.json")),
    (
        "a redirect inside",
        lambda body: send_response(307, body, "Location: http://169.254.169.254/"),
    ),
    ("a redirect for ever", lambda body: send_response(301, body, "Location: /x")),
    ("no success", lambda body: send_response(404, body)),
    ("another success", lambda body: send_response(203, body)),
    ("a failure", lambda body: send_response(500, body)),
    ("a page", lambda body: send_response(200, body, kind="text/html")),
    ("a text", lambda body: send_response(200, body, kind="text/plain")),
    ("a script", lambda body: send_response(200, body, kind="application/javascript")),
    ("no type", lambda body: send_response(200, body, kind="")),
    ("ten megabytes", lambda body: send_response(200, body + b" " * 10_000_000)),
    ("a byte more than 16 kB", lambda body: send_response(200, body.ljust(16 * 1024 + 1))),
    ("ten megabytes of head", lambda body: send_response(200, body, *[f"X: {'y' * 60000}"] * 160)),
    ("less than it says", lambda body: send_response(200, body[:-1])),
    (
        "packed content",
        lambda body: send_response(200, gzip.compress(body), "Content-Encoding: gzip"),
    ),
    ("a name twice", lambda body: send_response(200, body[:-1] + b', "client_name": "x"}')),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_responses_that_are_no_document(host: Host, browser: Client, case: Case) -> None:
    for name, answer in ANSWERS:
        with case(name):
            host.reset()
            host.respond = answer(json.dumps(host.document()).encode())
            assert_error_page(ask(browser, host.url))
            assert host.connections == 1
            assert_nothing_registered()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
SLOW = [
    ("nothing", wait_for(8)),
    ("a head byte by byte", send_slowly(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 80, 0.02)),
    ("a body byte by byte", send_slowly(HEAD + b" " * 900, 0.02)),
]


def test_hosts_that_respond_too_slowly(
    host: Host, browser: Client, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.setattr(client_documents, "TIMEOUT_SECONDS", 0.3)
    for name, answer in SLOW:
        with case(name):
            host.reset()
            host.respond = answer
            assert_error_page(ask(browser, host.url))
            assert host.connections == 1


def test_a_document_with_hostile_texts(host: Host, browser: Client) -> None:
    host.serve_document(
        client_name="\u202e<script>alert(1)</script>" + "x" * 5000,
        logo_uri="javascript:alert(1)",
        client_uri="https://evil.example/",
        policy_uri="javascript:alert(1)",
    )
    page = ask(browser, host.url)
    assert page.status_code == 200
    text = page.content.decode()
    assert "<script>alert" not in text
    assert "javascript:" not in text
    assert "evil.example" not in text
    assert "\u202e" not in text
    assert len(Application.objects.get().name) == 80


def test_a_document_is_not_fetched_again_before_it_expires(host: Host, browser: Client) -> None:
    for _ in range(3):
        assert ask(browser, host.url).status_code == 200
    assert host.connections == 1
    # Nor a document that could not be read.
    other = f"{host.url}?other"
    for _ in range(3):
        assert_error_page(ask(browser, other))
    assert host.connections == 2
    assert CacheEntry.objects.filter(cache_key__contains="cimd").exists()


def test_the_fetches_of_one_person_are_limited(
    host: Host, personas: Personas, settings: Settings
) -> None:
    """Links on a stranger's page would else make the service knock at any host."""
    limits = settings.ACCOUNT_RATE_LIMITS
    assert limits["see_consent"] == "60/m/user"
    settings.ACCOUNT_RATE_LIMITS = {**limits, "see_consent": "6/m/user"}
    host.respond = send_response(404, b"{}")
    flow = Flow(host.url, signed_in(personas.bob))
    statuses = [flow.ask(client_id=f"{host.url}?{n}").status_code for n in range(8)]
    assert statuses == [400] * 6 + [429] * 2
    assert host.connections == 6
    # Other people go on.
    host.serve_document()
    assert Flow(host.url, signed_in(personas.alice)).ask().status_code == 200
    assert_nothing_granted()


@pytest.mark.django_db(transaction=True)
def test_a_flood_at_once_occupies_only_so_many_threads(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_documents, "TIMEOUT_SECONDS", WAIT_SECONDS)
    personas = current_personas()
    cache.clear()
    unanswered = WaitingHost(6)
    host.respond = unanswered.respond
    flows = [Flow(f"{host.url}?{n}", signed_in(personas.bob)) for n in range(10)]
    with racers(10) as pool:
        pages = pool.race(*[unanswered.then_returned(partial(flow.ask)) for flow in flows])
    assert {page.status_code for page in pages} == {400}
    assert host.connections <= 4
    # A host turned away was not asked, and is not remembered as bad.
    host.serve_document()
    assert find_client(host.url) is not None


OPENERS: list[tuple[str, dict[str, str]]] = [
    ("with no one to be asked (RFC 9700, 4.11.2)", {"prompt": "none"}),
    ("with a fault of its own making", {"scope": "nonsense"}),
    ("without a challenge", {"code_challenge": ""}),
    ("of another resource", {"resource": "https://evil.example/"}),
]


def test_a_described_client_is_no_open_redirect_to_its_host(
    host: Host, browser: Client, personas: Personas, case: Case
) -> None:
    """Anyone may describe a client: a link of ours must not lead to theirs by itself."""
    host.serve_document(redirect_uris=[WEB])
    flow = Flow(host.url, browser, redirect=WEB)
    assert flow.ask().status_code == 200
    anonymous = Flow(host.url, Client(), redirect=WEB)
    for name, changes in OPENERS:
        with case(name):
            for each in [flow, anonymous] if "prompt" in changes else [flow]:
                page = each.ask(**changes)
                assert page.status_code == 200
                assert "Location" not in page
                assert 'http-equiv="refresh"' not in page.content.decode()
                assert "client.example" in page.content.decode()
    # After a decision the page redirects: the person has seen where.
    decided = flow.decide(personas.bob)
    assert 'http-equiv="refresh"' in decided.content.decode()


def test_a_withdrawn_redirect_is_refused(host: Host, browser: Client) -> None:
    host.serve_document(redirect_uris=[WEB, REDIRECT])
    flow = Flow(host.url, browser, redirect=WEB)
    assert flow.ask().status_code == 200
    host.serve_document(redirect_uris=[REDIRECT])
    Application.objects.update(cimd_expires_at="2020-01-01T00:00:00Z")
    assert_error_page(flow.ask())
    assert json.loads(flow.exchange("x").content)["error"] == "invalid_grant"
