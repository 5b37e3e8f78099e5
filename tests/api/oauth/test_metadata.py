"""The metadata documents, read first by clients."""

import json
from itertools import product

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case

PUBLIC = "https://review.example"
RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"


@pytest.fixture(autouse=True)
def public_url(settings: Settings) -> None:
    settings.PUBLIC_URL = PUBLIC


def test_the_metadata_of_the_resource(client: Client, case: Case) -> None:
    for path in (RESOURCE, f"{RESOURCE}/api/mcp"):
        with case(path):
            response = client.get(path)
            assert response["Content-Type"] == "application/json"
            assert json.loads(response.content) == {
                "resource": f"{PUBLIC}/api/mcp",
                "authorization_servers": [PUBLIC],
                "scopes_supported": ["read", "write"],
                "bearer_methods_supported": ["header"],
                "resource_name": "Visual Review",
            }


def test_the_metadata_of_the_server_lists_only_what_is_supported(client: Client) -> None:
    found = json.loads(client.get(SERVER).content)
    assert found == {
        "issuer": PUBLIC,
        "authorization_endpoint": f"{PUBLIC}/oauth/authorize",
        "token_endpoint": f"{PUBLIC}/api/oauth/token",
        "registration_endpoint": f"{PUBLIC}/api/oauth/register",
        "revocation_endpoint": f"{PUBLIC}/api/oauth/revoke",
        "scopes_supported": ["read", "write"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }


@pytest.mark.django_db
def test_other_paths_serve_nothing(client: Client, case: Case) -> None:
    for path in (
        # These would be the documents of other issuers (RFC 8414, 3.1).
        f"{SERVER}/api/mcp",
        "/api/mcp/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/api/mcp",
        f"{RESOURCE}/api",
        f"{RESOURCE}/api/rest",
    ):
        with case(path):
            assert client.get(path).status_code == 404


def test_scripts_of_other_sites_may_read_it_without_credentials(client: Client, case: Case) -> None:
    origin = {"Origin": "https://inspector.example"}
    for path in (RESOURCE, f"{RESOURCE}/api/mcp", SERVER):
        with case(path):
            response = client.get(path, headers=origin)
            assert response["Access-Control-Allow-Origin"] == "*"
            assert "Access-Control-Allow-Credentials" not in response
            preflight = client.options(
                path, headers={**origin, "Access-Control-Request-Method": "GET"}
            )
            assert preflight.status_code == 204
            assert "MCP-Protocol-Version" in preflight["Access-Control-Allow-Headers"]
            assert client.post(path).status_code == 405


def test_scripts_of_other_sites_may_call_the_endpoints(client: Client, case: Case) -> None:
    origin = {"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"}
    for name in ("register", "token", "revoke"):
        with case(name):
            preflight = client.options(f"/api/oauth/{name}", headers=origin)
            assert preflight.status_code == 204
            assert preflight["Access-Control-Allow-Origin"] == "*"
            assert preflight["Access-Control-Allow-Methods"] == "POST"
            assert "Content-Type" in preflight["Access-Control-Allow-Headers"]
            assert "Access-Control-Allow-Credentials" not in preflight
            assert client.get(f"/api/oauth/{name}").status_code == 405


@pytest.mark.django_db
def test_nothing_else_of_the_toolkit_is_served(client: Client, case: Case) -> None:
    names = ("applications/", "introspect/", "device/", "device-authorization/", "userinfo/")
    for prefix, name in product(("/oauth/", "/api/oauth/", "/o/"), (*names, "logout/")):
        with case(prefix + name):
            assert client.get(prefix + name).status_code == 404
            assert client.post(prefix + name).status_code == 404
