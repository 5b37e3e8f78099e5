"""Security cases of mix-up attacks: every response names the configured issuer."""

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.mcp.endpoint import Endpoint, headers_of
from tests.support.oauth.assertions import assert_token_error, client_with, flow_of
from tests.support.oauth.flow import Flow, Value, register, response_parameters
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.oauth.resource import issuer

PUBLIC = "https://review.example"
RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"


def server_metadata() -> dict[str, Any]:
    return dict(json.loads(Client().get(SERVER).content))


REQUESTS: list[tuple[str, dict[str, Value], str]] = [
    ("allowed (RFC 9207, 2)", {}, "allow"),
    ("refused", {}, "refuse"),
    ("of no known decision", {}, "maybe"),
    ("of an unknown scope", {"scope": "nonsense"}, "allow"),
    ("of another response type", {"response_type": "token"}, "allow"),
    ("of no response type", {"response_type": None}, "allow"),
    ("without challenge", {"code_challenge": None}, "allow"),
    ("for another resource", {"resource": "https://evil.example/"}, "allow"),
    ("with no one to be asked", {"prompt": "none"}, "allow"),
    ("without state", {"state": None}, "allow"),
    ("with an issuer of its own", {"iss": "https://evil.example"}, "allow"),
    ("with a state that looks like one", {"state": "x&iss=https://evil.example"}, "refuse"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_every_response_names_its_issuer_once(personas: Personas, case: Case) -> None:
    # Compared as text: RFC 9207, 2.4 and RFC 8414, 3.3.
    assert server_metadata()["issuer"] == issuer()
    flow = flow_of(personas.bob)
    for name, changes, decision in REQUESTS:
        with case(name):
            # The parser of the response rejects repeated parameters.
            response = flow.decide(personas.bob, decision=decision, **changes)
            parameters = response_parameters(response)
            assert parameters["iss"] == issuer()
            assert parameters.get("state") == flow.parameters(**changes).get("state")


@pytest.mark.django_db
def test_redirect_uris_with_a_response_parameter(case: Case) -> None:
    """RFC 6749, 3.1: the client would read the first or the last of two."""
    for name in ("iss", "code", "state", "error", "error_description", "%69ss"):
        with case(name):
            redirect = f"https://client.example/cb?{name}=https://evil.example"
            assert_token_error(register(redirect_uris=[redirect]), "invalid_redirect_uri")
    assert register(redirect_uris=["https://client.example/cb?tenant=code"]).status_code == 201


HEADERS = [
    ("X-Forwarded-Host", {"X-Forwarded-Host": "evil.example"}),
    ("X-Forwarded-Proto", {"X-Forwarded-Proto": "ftp"}),
    ("X-Forwarded-Port", {"X-Forwarded-Port": "666"}),
    ("Forwarded", {"Forwarded": "host=evil.example;proto=http"}),
    ("X-Host", {"X-Host": "evil.example", "X-Original-Host": "evil.example"}),
    ("X-Original-URL", {"X-Original-URL": "https://evil.example/"}),
    ("Host of the machine itself", {"Host": "localhost"}),
    ("Host with a port", {"Host": "review.example:666"}),
]
REFUSED_HOSTS = [
    "evil.example",
    "review.example.evil.example",
    "evil.example:443",
    "review.example@evil.example",
    "review.example, evil.example",
    "review.example/evil",
    "",
    "*",
]


@pytest.fixture
def public_url(settings: Settings) -> str:
    settings.PUBLIC_URL = PUBLIC
    settings.ALLOWED_HOSTS = ["review.example", "localhost"]
    return PUBLIC


def _default_values(headers: dict[str, str]) -> dict[str, str]:
    return {"Host": "review.example", **headers}


@pytest.mark.usefixtures("db")
def test_headers_do_not_change_the_metadata(public_url: str, case: Case) -> None:
    client = Client()
    for name, headers in HEADERS:
        with case(name):
            for address in (SERVER, RESOURCE, f"{RESOURCE}/api/mcp"):
                response = client.get(address, headers=_default_values(headers))
                assert response.status_code == 200
                text = response.content.decode()
                assert "evil" not in text
                assert "localhost" not in text
                assert "666" not in text
                found = json.loads(text)
                assert found.get("issuer", public_url) == public_url
                assert found.get("authorization_servers", [public_url]) == [public_url]


def test_headers_do_not_change_the_responses(
    public_url: str, personas: Personas, case: Case
) -> None:
    anonymous = Client()
    flow = Flow(client_with(), signed_in(personas.bob))
    form = {"organization": personas.bob.organization.id, "access": "read", "decision": "allow"}
    for name, headers in HEADERS:
        with case(name):
            response = flow.browser.post(flow.url(), form, headers=_default_values(headers))
            assert response_parameters(response)["iss"] == public_url
            sign_in = anonymous.get(flow.url(), headers=_default_values(headers))
            assert sign_in["Location"].startswith("/sign-in?next=/oauth/authorize")
            unknown = flow.browser.get(flow.url(client_id="x"), headers=_default_values(headers))
            assert "evil.example" not in unknown.content.decode()


@pytest.mark.usefixtures("public_url")
def test_other_hosts_are_rejected(personas: Personas, case: Case) -> None:
    flow, anonymous = flow_of(personas.bob), Client()
    for host in REFUSED_HOSTS:
        with case(f"Host: {host}"):
            foreign = {"Host": host}
            metadata = anonymous.get(SERVER, headers=foreign)
            responses: list[HttpResponse] = [
                flow.browser.get(flow.url(), headers=foreign),
                flow.browser.post(flow.url(), {"decision": "refuse"}, headers=foreign),
            ]
            # The metadata does not depend on the request.
            if metadata.status_code == 200:
                assert json.loads(metadata.content)["issuer"] == PUBLIC
            else:
                responses.append(metadata)
            for response in responses:
                assert response.status_code == 400
                assert 'id="continue"' not in response.content.decode()


def test_the_endpoint_names_only_its_own_url(endpoint: Endpoint) -> None:
    """RFC 9728, 3.3: a client could be sent to another server's sign-in otherwise."""
    usual = headers_of(None, "tools/list", {}, "2025-11-25")
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    for headers in (
        {"X-Forwarded-Host": "evil.example"},
        {"Forwarded": "host=evil.example"},
        {"X-Forwarded-Proto": "https", "X-Forwarded-Port": "1"},
    ):
        answer = endpoint.send(body, {**usual, **headers})
        assert answer.status_code == 401
        challenge = answer.headers["WWW-Authenticate"]
        assert f'resource_metadata="{issuer()}{RESOURCE}/api/mcp"' in challenge
        assert "error=" not in challenge
    for host in ("evil.example", "127.0.0.1:8000.evil.example", "127.0.0.1:8001", "127.0.0.1"):
        answer = endpoint.send(body, {**usual, "Host": host})
        assert answer.status_code == 421
        assert "evil" not in answer.text
        assert "WWW-Authenticate" not in answer.headers


def test_the_endpoint_and_the_metadata_have_the_same_urls(endpoint: Endpoint) -> None:
    """The URLs followed by a client lead back to the start (RFC 9728, 3.3; RFC 8414, 3.3)."""
    challenge = endpoint.ask(None, "tools/list").headers["WWW-Authenticate"]
    address = challenge.partition('resource_metadata="')[2].partition('"')[0]
    found = json.loads(Client().get(address.removeprefix(issuer())).content)
    assert found["resource"] == f"{issuer()}/api/mcp"
    assert found["authorization_servers"] == [server_metadata()["issuer"]]
    for name, url in server_metadata().items():
        if name.endswith("_endpoint"):
            assert url.startswith(issuer() + "/")
            path = url.removeprefix(issuer())
            assert Client().options(path).status_code != 404
