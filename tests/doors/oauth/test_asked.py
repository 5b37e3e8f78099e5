"""Authorization requests: which are put before the person, and how the others are answered."""

import json

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.doors.oauth.flow import REDIRECT, Flow, Value, answer_in, new_client, shown_link
from tests.doors.pages import signed_in
from tests.personas import Personas
from visual_review.accounts.models import Grant, TokenFamily
from visual_review.accounts.oauth.resource import issuer


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return Flow.of(personas.bob)


def assert_page(response: HttpResponse) -> None:
    """Nothing is sent anywhere: neither by a redirect nor by a link."""
    assert response.status_code == 400
    assert "Location" not in response
    assert 'id="continue"' not in response.content.decode()
    assert "refresh" not in response.content.decode()


@pytest.mark.parametrize(
    "changes",
    [
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
    ],
)
def test_what_may_not_be_answered_shows_a_page(flow: Flow, changes: dict[str, Value]) -> None:
    # The client's id goes through refusals of Django's own when it holds a zero byte.
    response = flow.ask(**changes)
    if changes.get("client_id") == "nul\0":
        assert response.status_code in {400, 404}
        return
    assert_page(response)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
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
    ],
)
def test_other_faults_are_told_to_the_client(
    flow: Flow, changes: dict[str, Value], error: str
) -> None:
    response = flow.ask(**changes)
    answer = answer_in(response)
    assert answer["error"] == error
    assert (answer["state"], answer["iss"]) == ("a state", issuer())
    assert answer.keys() <= {"error", "error_description", "state", "iss"}
    assert shown_link(response).startswith(REDIRECT + "?")
    assert not TokenFamily.objects.exists()


def test_a_forged_post_of_a_faulty_request_is_answered_the_same(
    flow: Flow, personas: Personas
) -> None:
    response = flow.decide(personas.bob, code_challenge_method="plain")
    assert answer_in(response)["error"] == "invalid_request"
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
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
    ],
)
def test_what_is_put_before_the_person(
    flow: Flow, changes: dict[str, Value], *, shown: bool
) -> None:
    response = flow.ask(**changes)
    assert response.status_code == 200
    assert response.context["asks_changes"] is shown
    assert response.context["form"].offers_changes is shown


def test_an_answer_without_state_has_none(flow: Flow, personas: Personas) -> None:
    answer = answer_in(flow.decide(personas.bob, state=None))
    assert answer.keys() == {"code", "iss"}


def test_a_client_cannot_move_the_code_into_a_fragment(flow: Flow, personas: Personas) -> None:
    answer = answer_in(flow.decide(personas.bob, response_mode="fragment"))
    assert "code" in answer


def test_queries_that_cannot_be_read_are_answered(flow: Flow) -> None:
    for query in ("%zz", "client_id=%ff&redirect_uri=%", "a=1&" * 900, "client_id=\u0441"):
        assert flow.browser.get(f"/oauth/authorize?{query}").status_code == 400


def test_a_stranger_is_only_sent_to_sign_in(client: Client, personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    for changes in ({}, {"scope": "nonsense"}, {"client_id": "https://evil.example/client"}):
        response = client.get(flow.address(**changes))
        assert response.status_code == 302
        assert response["Location"].startswith("/sign-in?next=/oauth/authorize")


def test_a_stranger_who_must_not_be_asked_is_told_to_the_client(
    client: Client, personas: Personas
) -> None:
    flow = Flow.of(personas.bob)
    response = client.get(flow.address(prompt="none"))
    assert answer_in(response)["error"] == "login_required"
    assert_page(client.get(flow.address(prompt="none", client_id="client_unknown")))


def test_only_answers_that_are_no_surprise_lead_on_by_themselves(personas: Personas) -> None:
    unknown = Flow.of(personas.bob, new_client(redirect_uris=["https://phishing.example/cb"]))
    unknown.redirect = "https://phishing.example/cb"
    waiting = unknown.ask(scope="nonsense").content.decode()
    assert 'http-equiv="refresh"' not in waiting
    assert "phishing.example" in waiting
    decided = unknown.decide(personas.bob).content.decode()
    assert 'http-equiv="refresh"' in decided
    local = Flow.of(personas.bob).ask(scope="nonsense").content.decode()
    assert 'http-equiv="refresh"' in local


def test_redirects_of_every_kind_get_their_answer(personas: Personas) -> None:
    for redirect in (
        "https://client.example/cb?tenant=1",
        "http://[::1]:4000/cb",
        "http://localhost/cb",
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "vscode-insiders://vendor/callback",
        "zed:/callback",
    ):
        flow = Flow(new_client(redirect_uris=[redirect]), signed_in(personas.bob))
        flow.redirect = redirect
        response = flow.decide(personas.bob)
        assert shown_link(response).startswith(redirect)
        tokens = json.loads(flow.exchange(answer_in(response)["code"]).content)
        assert tokens["access_token"]
