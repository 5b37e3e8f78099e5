"""Attacks on what a token is for (RFC 8707): asked, exchanged and used for another resource."""

import pytest
from pytest_django.fixtures import Settings

from tests.doors.mcp.client import Endpoint
from tests.doors.oauth.attacks import (
    answer_of,
    assert_refused,
    assert_shut_out,
    assert_told_client,
    elsewhere,
    flow_of,
    lines,
)
from tests.doors.oauth.flow import Flow, Value, error_in
from tests.personas import Personas
from visual_review.accounts.models import AccessToken, TokenFamily
from visual_review.accounts.oauth.resource import resource

OURS = "http://127.0.0.1:8000/api/mcp"
FOREIGN = [
    ("a foreign one", "https://evil.example/api/mcp"),
    ("a foreign one that begins alike", "http://127.0.0.1:8000.evil.example/api/mcp"),
    ("a foreign one with ours as a user", "http://127.0.0.1:8000@evil.example/api/mcp"),
    ("ours with a user", "http://user@127.0.0.1:8000/api/mcp"),
    ("the issuer", "http://127.0.0.1:8000"),
    ("the issuer with a slash", "http://127.0.0.1:8000/"),
    ("another door of ours", "http://127.0.0.1:8000/api/rest"),
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


@pytest.mark.parametrize("asked", lines(FOREIGN))
def test_asked_for_another(flow: Flow, personas: Personas, asked: Value) -> None:
    assert resource() == OURS
    assert_told_client(flow.ask(resource=asked), "invalid_target")
    assert_told_client(flow.decide(personas.bob, resource=asked), "invalid_target")


@pytest.mark.parametrize("asked", lines(FOREIGN))
def test_exchanged_and_refreshed_for_another(
    flow: Flow, personas: Personas, asked: str | list[str]
) -> None:
    code = flow.code(personas.bob)
    assert_refused(flow.exchange(code, resource=asked), "invalid_target")
    assert not AccessToken.objects.exists()
    tokens = flow.tokens(personas.bob)
    answer = flow.refresh(tokens["refresh_token"], resource=asked)
    assert_refused(answer, "invalid_target")
    assert AccessToken.objects.count() == 1


@pytest.mark.parametrize(
    "asked",
    lines(
        [
            ("missing, as older clients do", None),
            ("empty, which is as missing (RFC 6749, 3.1)", ""),
            ("with a slash behind", OURS + "/"),
            (
                "with capitals in scheme and host (RFC 3986, 6.2.2.1)",
                "HTTP://127.0.0.1:8000/api/mcp",
            ),
            ("twice ours", [OURS, OURS + "/"]),
        ]
    ),
)
def test_whatever_is_granted_is_for_ours_alone(
    flow: Flow, personas: Personas, asked: Value
) -> None:
    code = flow.code(personas.bob, resource=asked)
    response = flow.exchange(code, resource=asked)
    assert response.status_code == 200, error_in(response)
    assert TokenFamily.objects.get().resource == OURS


def test_a_token_for_another_resource_is_refused_at_the_endpoint(
    flow: Flow, personas: Personas, endpoint: Endpoint
) -> None:
    """RFC 8707, 2 and RFC 9068, 4: the resource itself looks whether the token is for it."""
    tokens = flow.tokens(personas.bob)
    assert answer_of(endpoint, tokens["access_token"]) == 200
    for other in (elsewhere(), "https://evil.example/api/mcp", ""):
        TokenFamily.objects.update(resource=other)
        assert_shut_out(endpoint, tokens["access_token"])
        assert_refused(flow.refresh(tokens["refresh_token"]), "invalid_grant")


def test_tokens_and_codes_end_when_the_service_moves(
    flow: Flow, personas: Personas, settings: Settings
) -> None:
    tokens, code = flow.tokens(personas.bob), flow.code(personas.bob)
    settings.PUBLIC_URL = "https://moved.example"
    assert_refused(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    assert_refused(flow.exchange(code, resource=None), "invalid_grant")
