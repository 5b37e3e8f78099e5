"""Authorization requests: the ones shown to users, and the address of errors."""

import json

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.case import Case
from tests.support.oauth.flow import (
    REDIRECT,
    Flow,
    Value,
    continue_link,
    new_client,
    response_parameters,
)
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.models import Grant, TokenFamily
from visual_review.accounts.oauth.resource import issuer


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return Flow.of(personas.bob)


def assert_page(response: HttpResponse) -> None:
    """Check for a page without a redirect or a link to the client."""
    assert response.status_code == 400
    assert "Location" not in response
    assert 'id="continue"' not in response.content.decode()
    assert "refresh" not in response.content.decode()


SHOWN_ON_A_PAGE: list[dict[str, Value]] = [
    {"client_id": None},
    {"client_id": ""},
    {"client_id": "client_unknown"},
    {"client_id": "nul\0"},
    {"client_id": "x" * 300},
    {"redirect_uri": "http://127.0.0.1:33418/other"},
    {"redirect_uri": "https://evil.example/callback"},
    {"redirect_uri": "http://localhost:33418/callback"},
    {"redirect_uri": "https://127.0.0.1:33418/callback"},
    {"redirect_uri": REDIRECT + "?x=1"},
    {"redirect_uri": REDIRECT + "#x"},
    {"redirect_uri": "not an address"},
    {"redirect_uri": "/sign-in"},
    {"redirect_uri": "javascript:alert(1)"},
    {"redirect_uri": [REDIRECT, "https://evil.example/"]},
    {"state": ["a", "b"]},
    {"scope": ["read", "write"]},
    {"response_type": ["code", "token"]},
]


@pytest.mark.usefixtures("without_rate_limits")
def test_errors_that_are_shown_on_a_page(flow: Flow, case: Case) -> None:
    for changes in SHOWN_ON_A_PAGE:
        with case(changes):
            response = flow.ask(**changes)
            # Django itself rejects a zero byte earlier.
            if changes.get("client_id") == "nul\0":
                assert response.status_code in {400, 404}
            else:
                assert_page(response)


SENT_TO_THE_CLIENT: list[tuple[dict[str, Value], str]] = [
    ({"response_type": None}, "invalid_request"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": "code token"}, "unauthorized_client"),
    ({"response_type": "id_token"}, "unsupported_response_type"),
    ({"scope": "read openid"}, "invalid_scope"),
    ({"scope": "builds:view"}, "invalid_scope"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge": "short"}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": "S512"}, "invalid_request"),
    ({"code_challenge_method": ["S256", "plain"]}, "invalid_request"),
    ({"resource": "https://evil.example/api/mcp"}, "invalid_target"),
    ({"resource": [f"{issuer()}/api/mcp", "https://evil.example/"]}, "invalid_target"),
    ({"resource": issuer()}, "invalid_target"),
    ({"prompt": "none"}, "consent_required"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_errors_that_are_sent_to_the_client(flow: Flow, case: Case) -> None:
    for changes, error in SENT_TO_THE_CLIENT:
        with case(changes):
            response = flow.ask(**changes)
            parameters = response_parameters(response)
            assert parameters["error"] == error
            assert (parameters["state"], parameters["iss"]) == ("a state", issuer())
            assert parameters.keys() <= {"error", "error_description", "state", "iss"}
            assert continue_link(response).startswith(REDIRECT + "?")
            assert not TokenFamily.objects.exists()


def test_a_forged_post_of_an_invalid_request_gets_the_same_error(
    flow: Flow, personas: Personas
) -> None:
    response = flow.decide(personas.bob, code_challenge_method="plain")
    assert response_parameters(response)["error"] == "invalid_request"
    assert not Grant.objects.exists()


ASKS_FOR_CHANGES: list[tuple[dict[str, Value], bool]] = [
    ({"scope": None}, False),
    ({"scope": ""}, False),
    ({"scope": "read"}, False),
    ({"scope": "write"}, True),
    ({"scope": "write read"}, True),
    ({"resource": None}, True),
    ({"resource": f"{issuer()}/api/mcp/"}, True),
    ({"state": None}, True),
    ({"redirect_uri": None}, True),
    ({"redirect_uri": "http://127.0.0.1:1/callback"}, True),
    ({"prompt": "consent"}, True),
    ({"response_mode": "fragment"}, True),
    ({"nonce": "x", "claims": "{", "request": "x.y.z"}, True),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_requests_that_users_see(flow: Flow, case: Case) -> None:
    for changes, asks_for_changes in ASKS_FOR_CHANGES:
        with case(changes):
            response = flow.ask(**changes)
            assert response.status_code == 200
            assert response.context["asks_changes"] is asks_for_changes
            assert response.context["form"].offers_changes is asks_for_changes


def test_a_response_to_a_request_without_state_has_none(flow: Flow, personas: Personas) -> None:
    answer = response_parameters(flow.decide(personas.bob, state=None))
    assert answer.keys() == {"code", "iss"}


def test_a_client_cannot_get_the_code_in_a_fragment(flow: Flow, personas: Personas) -> None:
    answer = response_parameters(flow.decide(personas.bob, response_mode="fragment"))
    assert "code" in answer


def test_invalid_queries_are_rejected(flow: Flow) -> None:
    for query in ("%zz", "client_id=%ff&redirect_uri=%", "a=1&" * 900, "client_id=\u0441"):
        assert flow.browser.get(f"/oauth/authorize?{query}").status_code == 400


def test_anonymous_requests_are_redirected_to_sign_in(client: Client, personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    for changes in ({}, {"scope": "nonsense"}, {"client_id": "https://evil.example/client"}):
        response = client.get(flow.url(**changes))
        assert response.status_code == 302
        assert response["Location"].startswith("/sign-in?next=/oauth/authorize")


def test_anonymous_requests_without_a_prompt_send_an_error_to_the_client(
    client: Client, personas: Personas
) -> None:
    flow = Flow.of(personas.bob)
    response = client.get(flow.url(prompt="none"))
    assert response_parameters(response)["error"] == "login_required"
    assert_page(client.get(flow.url(prompt="none", client_id="client_unknown")))


def test_only_expected_responses_continue_automatically(personas: Personas) -> None:
    unknown = Flow.of(personas.bob, new_client(redirect_uris=["https://phishing.example/cb"]))
    unknown.redirect = "https://phishing.example/cb"
    waiting = unknown.ask(scope="nonsense").content.decode()
    assert 'http-equiv="refresh"' not in waiting
    assert "phishing.example" in waiting
    decided = unknown.decide(personas.bob).content.decode()
    assert 'http-equiv="refresh"' in decided
    local = Flow.of(personas.bob).ask(scope="nonsense").content.decode()
    assert 'http-equiv="refresh"' in local


@pytest.mark.usefixtures("without_rate_limits")
def test_every_kind_of_redirect_uri_gets_the_response(personas: Personas, case: Case) -> None:
    browser = signed_in(personas.bob)
    for redirect in (
        "https://client.example/cb?tenant=1",
        "http://[::1]:4000/cb",
        "http://localhost/cb",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode-insiders://vendor/callback",
        "zed:/callback",
    ):
        with case(redirect):
            flow = Flow(new_client(redirect_uris=[redirect]), browser, redirect=redirect)
            response = flow.decide(personas.bob)
            assert continue_link(response).startswith(redirect)
            tokens = json.loads(flow.exchange(response_parameters(response)["code"]).content)
            assert tokens["access_token"]
