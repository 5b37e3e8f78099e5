"""Clients introduce themselves: what they get, what is refused, and how often."""

import json

import pytest
from django.test import Client
from oauth2_provider.models import Application

from tests.doors.oauth.flow import REDIRECT, error_in, register

REGISTER = "/api/oauth/register"
MINUTE = 20


@pytest.mark.django_db
def test_a_client_is_registered_as_a_public_one() -> None:
    response = register(
        client_name="Editor",
        grant_types=["authorization_code", "refresh_token", "client_credentials"],
        token_endpoint_auth_method="client_secret_basic",
        contacts=["somebody@example.com"],
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


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"redirect_uris": ["http://evil.example/cb"]}, 400, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, 400, "invalid_redirect_uri"),
        ({}, 400, "invalid_redirect_uri"),
        ({"redirect_uris": [REDIRECT], "response_types": []}, 400, "invalid_client_metadata"),
        ([], 400, "invalid_client_metadata"),
    ],
)
@pytest.mark.django_db
def test_refused_with_the_codes_of_the_rfc(body: object, status: int, error: str) -> None:
    response = Client().post(REGISTER, json.dumps(body), content_type="application/json")
    assert (response.status_code, error_in(response)) == (status, error)
    assert not Application.objects.exists()


@pytest.mark.django_db
def test_bodies_that_are_none_are_refused() -> None:
    client = Client()
    for body in ("{", '{"a": 1, "a": 2}', "[" * 5000, "\xff"):
        response = client.generic("POST", REGISTER, body.encode("latin-1"), "application/json")
        assert response.status_code == 400, body[:10]
        assert error_in(response) == "invalid_client_metadata"
    assert client.post(REGISTER, {"redirect_uris": REDIRECT}).status_code == 415
    large = json.dumps({"redirect_uris": [REDIRECT], "x": "x" * 20_000})
    assert client.post(REGISTER, large, content_type="application/json").status_code == 413


@pytest.mark.django_db
def test_a_flood_is_stopped() -> None:
    statuses = [register().status_code for _ in range(MINUTE + 2)]
    assert statuses == [201] * MINUTE + [429] * 2
    refused = register()
    assert error_in(refused) == "temporarily_unavailable"
    assert refused["Retry-After"] == "60"
    assert refused["Access-Control-Allow-Origin"] == "*"
    assert Application.objects.count() == MINUTE


@pytest.mark.django_db
def test_a_session_changes_nothing_and_no_cookie_is_set() -> None:
    response = register()
    assert not response.cookies
