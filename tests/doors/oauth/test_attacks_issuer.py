"""Attacks by mixing servers up: every answer names the configured issuer, whatever was asked."""

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django.fixtures import Settings

from tests.doors.mcp.client import Endpoint, headers_of
from tests.doors.oauth.attacks import assert_refused, client_with, flow_of, lines
from tests.doors.oauth.flow import Flow, Value, answer_in, register
from tests.doors.pages import signed_in
from tests.personas import Personas
from visual_review.accounts.oauth.resource import issuer

PUBLIC = "https://review.example"
RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"


def server(**headers: str) -> dict[str, Any]:
    return dict(json.loads(Client(headers=headers).get(SERVER).content))


ANSWERS: list[tuple[str, dict[str, Value], str]] = [
    ("allowed (RFC 9207, 2)", {}, "allow"),
    ("refused", {}, "refuse"),
    ("of no known decision", {}, "maybe"),
    ("of an unknown scope", {"scope": "nonsense"}, "allow"),
    ("of another response type", {"response_type": "token"}, "allow"),
    ("of no response type", {"response_type": None}, "allow"),
    ("without challenge", {"code_challenge": None}, "allow"),
    ("for another resource", {"resource": "https://evil.example/"}, "allow"),
    ("with nobody to be asked", {"prompt": "none"}, "allow"),
    ("without state", {"state": None}, "allow"),
    ("with an issuer of its own", {"iss": "https://evil.example"}, "allow"),
    ("with a state that looks like one", {"state": "x&iss=https://evil.example"}, "refuse"),
]


@pytest.mark.parametrize(("changes", "decision"), lines(ANSWERS))
def test_every_answer_names_its_issuer_once(
    personas: Personas, changes: dict[str, Value], decision: str
) -> None:
    flow = flow_of(personas.bob)
    # Repeated parameters are noticed where the answer is read.
    answer = answer_in(flow.decide(personas.bob, decision=decision, **changes))
    # Compared as text: RFC 9207, 2.4 and RFC 8414, 3.3.
    assert answer["iss"] == server()["issuer"] == issuer()
    state = flow.parameters(**changes).get("state")
    assert answer.get("state") == state


@pytest.mark.parametrize("name", ["iss", "code", "state", "error", "error_description", "%69ss"])
@pytest.mark.django_db
def test_a_redirect_that_holds_an_answer_already(name: str) -> None:
    """RFC 6749, 3.1: the client would read the first or the last of two."""
    redirect = f"https://client.example/cb?{name}=https://evil.example"
    assert_refused(register(redirect_uris=[redirect]), "invalid_redirect_uri")
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
def public(settings: Settings) -> str:
    settings.PUBLIC_URL = PUBLIC
    settings.ALLOWED_HOSTS = ["review.example", "localhost"]
    return PUBLIC


def _usual(headers: dict[str, str]) -> dict[str, str]:
    return {"Host": "review.example", **headers}


@pytest.mark.parametrize("headers", lines(HEADERS))
@pytest.mark.usefixtures("db")
def test_headers_do_not_move_the_documents(public: str, headers: dict[str, str]) -> None:
    for address in (SERVER, RESOURCE, f"{RESOURCE}/api/mcp"):
        response = Client(headers=_usual(headers)).get(address)
        assert response.status_code == 200
        text = response.content.decode()
        assert "evil" not in text
        assert "localhost" not in text
        assert "666" not in text
        found = json.loads(text)
        assert found.get("issuer", public) == public
        assert found.get("authorization_servers", [public]) == [public]


@pytest.mark.parametrize("headers", lines(HEADERS))
def test_headers_do_not_move_the_answers(
    public: str, personas: Personas, headers: dict[str, str]
) -> None:
    flow = Flow(client_with(), signed_in(personas.bob))
    form = {"organization": personas.bob.organization.id, "access": "read", "decision": "allow"}
    response = flow.browser.post(flow.address(), form, headers=_usual(headers))
    assert answer_in(response)["iss"] == public
    stranger = Client().get(flow.address(), headers=_usual(headers))
    assert stranger["Location"].startswith("/sign-in?next=/oauth/authorize")
    unknown = flow.browser.get(flow.address(client_id="x"), headers=_usual(headers))
    assert "evil.example" not in unknown.content.decode()


@pytest.mark.parametrize("host", REFUSED_HOSTS)
@pytest.mark.usefixtures("public")
def test_other_hosts_are_refused(personas: Personas, host: str) -> None:
    flow = flow_of(personas.bob)
    asked: list[HttpResponse] = [
        Client().get(SERVER, headers={"Host": host}),
        flow.browser.get(flow.address(), headers={"Host": host}),
        flow.browser.post(flow.address(), {"decision": "refuse"}, headers={"Host": host}),
    ]
    for number, response in enumerate(asked):
        # The documents hold nothing of the request, and are the same for everybody.
        if number == 0 and response.status_code == 200:
            assert json.loads(response.content)["issuer"] == PUBLIC
            continue
        assert response.status_code == 400
        assert 'id="continue"' not in response.content.decode()


def test_the_endpoint_names_its_own_address_alone(endpoint: Endpoint) -> None:
    """RFC 9728, 3.3: else a client could be led to another server's sign-in."""
    usual = headers_of(None, "tools/list", {}, "2025-11-25")
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    for headers in (
        {"X-Forwarded-Host": "evil.example"},
        {"Forwarded": "host=evil.example"},
        {"X-Forwarded-Proto": "https", "X-Forwarded-Port": "1"},
    ):
        answer = endpoint.send(body, {**usual, **headers})
        assert answer.status_code == 401
        told = answer.headers["WWW-Authenticate"]
        assert f'resource_metadata="{issuer()}{RESOURCE}/api/mcp"' in told
        assert "error=" not in told
    for host in ("evil.example", "127.0.0.1:8000.evil.example", "127.0.0.1:8001", "127.0.0.1"):
        answer = endpoint.send(body, {**usual, "Host": host})
        assert answer.status_code == 421
        assert "evil" not in answer.text
        assert "WWW-Authenticate" not in answer.headers


def test_what_the_endpoint_names_is_what_the_documents_say(endpoint: Endpoint) -> None:
    """The whole chain a client follows ends where it began (RFC 9728, 3.3; RFC 8414, 3.3)."""
    told = endpoint.ask(None, "tools/list").headers["WWW-Authenticate"]
    address = told.partition('resource_metadata="')[2].partition('"')[0]
    found = json.loads(Client().get(address.removeprefix(issuer())).content)
    assert found["resource"] == f"{issuer()}/api/mcp"
    assert found["authorization_servers"] == [server()["issuer"]]
    for name, place in server().items():
        if name.endswith("_endpoint"):
            assert place.startswith(issuer() + "/")
            path = place.removeprefix(issuer())
            assert Client().options(path).status_code != 404
