"""Security cases of resource indicators (RFC 8707): requests and tokens for another resource."""

import pytest
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.mcp.endpoint import Endpoint
from tests.support.oauth.assertions import (
    assert_error_for_client,
    assert_token_error,
    assert_unauthorized,
    flow_of,
    other_resource,
    status_of,
)
from tests.support.oauth.flow import Flow, Value, error_in
from tests.support.personas import Personas
from visual_review.accounts.models import AccessToken, TokenFamily
from visual_review.accounts.oauth.resource import resource

OURS = "http://127.0.0.1:8000/api/mcp"
FOREIGN: list[tuple[str, str | list[str]]] = [
    ("a foreign one", "https://evil.example/api/mcp"),
    ("a foreign one that begins alike", "http://127.0.0.1:8000.evil.example/api/mcp"),
    ("a foreign one with ours as a user", "http://127.0.0.1:8000@evil.example/api/mcp"),
    ("ours with a user", "http://user@127.0.0.1:8000/api/mcp"),
    ("the issuer", "http://127.0.0.1:8000"),
    ("the issuer with a slash", "http://127.0.0.1:8000/"),
    ("another endpoint of ours", "http://127.0.0.1:8000/api/rest"),
    ("a path above", "http://127.0.0.1:8000/api"),
    ("a path below", OURS + "/other"),
    ("two slashes behind", OURS + "//"),
    ("two slashes between", "http://127.0.0.1:8000//api/mcp"),
    ("a detour", "http://127.0.0.1:8000/api/x/../mcp"),
    ("a dot segment", "http://127.0.0.1:8000/api/./mcp"),
    ("capitals in the path", "http://127.0.0.1:8000/api/MCP"),
    ("an encoded letter", "http://127.0.0.1:8000/api/%6dcp"),
    ("a parameter of the path", OURS + ";x"),
    ("a query", OURS + "?x=y"),
    ("an empty query", OURS + "?"),
    ("a fragment (RFC 8707, 2)", OURS + "#x"),
    ("an empty fragment (RFC 8707, 2)", OURS + "#"),
    ("another scheme", "https://127.0.0.1:8000/api/mcp"),
    ("another port", "http://127.0.0.1:8001/api/mcp"),
    ("the usual port", "http://127.0.0.1/api/mcp"),
    ("another name of this machine", "http://localhost:8000/api/mcp"),
    ("this machine's address written otherwise", "http://127.1:8000/api/mcp"),
    ("a relative one (RFC 8707, 2)", "/api/mcp"),
    ("one without scheme", "//127.0.0.1:8000/api/mcp"),
    ("one with backslashes", "http:\\\\127.0.0.1:8000\\api\\mcp"),
    ("a blank in front", " " + OURS),
    ("a blank behind", OURS + " "),
    ("a tab", OURS + "\t"),
    ("a control character in front", "\x1f" + OURS),
    ("a port that cannot be read", "http://127.0.0.1:x/api/mcp"),
    ("brackets that do not close", "http://[127.0.0.1/api/mcp"),
    ("a word", "mcp"),
    ("ours and a foreign one", [OURS, "https://evil.example/api/mcp"]),
    ("a foreign one and ours", ["https://evil.example/api/mcp", OURS]),
]


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob)


@pytest.mark.usefixtures("without_rate_limits")
def test_requests_for_another_resource(flow: Flow, personas: Personas, case: Case) -> None:
    assert resource() == OURS
    for name, requested in FOREIGN:
        with case(name):
            assert_error_for_client(flow.ask(resource=requested), "invalid_target")
            response = flow.decide(personas.bob, resource=requested)
            assert_error_for_client(response, "invalid_target")


@pytest.mark.usefixtures("without_rate_limits")
def test_codes_exchanged_and_tokens_refreshed_for_another_resource(
    flow: Flow, personas: Personas, case: Case
) -> None:
    tokens, code = flow.tokens(personas.bob), flow.code(personas.bob)
    for name, requested in FOREIGN:
        with case(name):
            assert_token_error(flow.exchange(code, resource=requested), "invalid_target")
            response = flow.refresh(tokens["refresh_token"], resource=requested)
            assert_token_error(response, "invalid_target")
            assert AccessToken.objects.count() == 1


OUR_OWN: list[tuple[str, Value]] = [
    ("missing, as older clients do", None),
    ("empty, which is as missing (RFC 6749, 3.1)", ""),
    ("with a slash behind", OURS + "/"),
    ("with capitals in scheme and host (RFC 3986, 6.2.2.1)", "HTTP://127.0.0.1:8000/api/mcp"),
    ("twice ours", [OURS, OURS + "/"]),
]


def test_every_grant_is_for_our_own_resource(flow: Flow, personas: Personas, case: Case) -> None:
    for name, requested in OUR_OWN:
        with case(name):
            code = flow.code(personas.bob, resource=requested)
            response = flow.exchange(code, resource=requested)
            assert response.status_code == 200, error_in(response)
            assert TokenFamily.objects.get().resource == OURS


def test_the_endpoint_rejects_a_token_for_another_resource(
    flow: Flow, personas: Personas, endpoint: Endpoint
) -> None:
    """RFC 8707, 2 and RFC 9068, 4: the resource itself checks the audience of the token."""
    tokens = flow.tokens(personas.bob)
    assert status_of(endpoint, tokens["access_token"]) == 200
    for other in (other_resource(), "https://evil.example/api/mcp", ""):
        TokenFamily.objects.update(resource=other)
        assert_unauthorized(endpoint, tokens["access_token"])
        assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")


def test_tokens_and_codes_become_invalid_when_the_public_url_changes(
    flow: Flow, personas: Personas, settings: Settings
) -> None:
    tokens, code = flow.tokens(personas.bob), flow.code(personas.bob)
    settings.PUBLIC_URL = "https://moved.example"
    assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    assert_token_error(flow.exchange(code, resource=None), "invalid_grant")
