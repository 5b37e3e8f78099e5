"""Registration of clients: responses, rejections, and limits."""

import json

import pytest
from django.test import Client
from oauth2_provider.models import Application
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.oauth.flow import REDIRECT, error_in, register

REGISTER = "/api/oauth/register"


@pytest.mark.django_db
def test_clients_are_registered_as_public() -> None:
    response = register(
        client_name="Editor",
        grant_types=["authorization_code", "refresh_token", "client_credentials"],
        token_endpoint_auth_method="client_secret_basic",
        contacts=["contact@example.com"],
    )
    assert response.status_code == 201
    assert response["Cache-Control"] == "no-store"
    client = Application.objects.get()
    assert json.loads(response.content) == {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created.timestamp()),
        "client_name": "Editor",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    assert client.client_type == Application.CLIENT_PUBLIC
    assert client.client_secret == ""
    assert client.user is None


REJECTED: list[tuple[object, str]] = [
    ({"redirect_uris": ["http://evil.example/cb"]}, "invalid_redirect_uri"),
    ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
    ({}, "invalid_redirect_uri"),
    ({"redirect_uris": [REDIRECT], "response_types": []}, "invalid_client_metadata"),
    ([], "invalid_client_metadata"),
]


@pytest.mark.django_db
def test_errors_have_the_codes_of_the_rfc(client: Client, case: Case) -> None:
    for body, error in REJECTED:
        with case(body):
            response = client.post(REGISTER, json.dumps(body), content_type="application/json")
            assert (response.status_code, error_in(response)) == (400, error)
            assert not Application.objects.exists()


@pytest.mark.django_db
def test_invalid_bodies_are_rejected() -> None:
    client = Client()
    for body in ("{", '{"a": 1, "a": 2}', "[" * 5000, "\xff"):
        response = client.generic("POST", REGISTER, body.encode("latin-1"), "application/json")
        assert response.status_code == 400, body[:10]
        assert error_in(response) == "invalid_client_metadata"
    assert client.post(REGISTER, {"redirect_uris": REDIRECT}).status_code == 415
    large = json.dumps({"redirect_uris": [REDIRECT], "x": "x" * 20_000})
    assert client.post(REGISTER, large, content_type="application/json").status_code == 413


@pytest.mark.django_db
def test_registrations_are_rate_limited(settings: Settings) -> None:
    limits = settings.ACCOUNT_RATE_LIMITS
    assert limits["register_client"] == "20/m/ip,1000/d/ip"
    settings.ACCOUNT_RATE_LIMITS = {**limits, "register_client": "3/m/ip,1000/d/ip"}
    statuses = [register().status_code for _ in range(5)]
    assert statuses == [201] * 3 + [429] * 2
    refused = register()
    assert error_in(refused) == "temporarily_unavailable"
    assert refused["Retry-After"] == "60"
    assert refused["Access-Control-Allow-Origin"] == "*"
    assert Application.objects.count() == 3


@pytest.mark.django_db
def test_a_session_changes_nothing_and_no_cookie_is_set() -> None:
    response = register()
    assert not response.cookies
