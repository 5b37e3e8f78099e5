"""What clients read first."""

import json

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

PUBLIC = "https://review.example"
RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"


@pytest.fixture(autouse=True)
def public_address(settings: Settings) -> None:
    settings.PUBLIC_URL = PUBLIC


@pytest.mark.parametrize("address", [RESOURCE, f"{RESOURCE}/api/mcp"])
def test_the_resource_names_itself_and_its_server(client: Client, address: str) -> None:
    response = client.get(address)
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == {
        "resource": f"{PUBLIC}/api/mcp",
        "authorization_servers": [PUBLIC],
        "scopes_supported": ["read", "write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Visual Review",
    }


def test_the_server_promises_what_it_does_and_nothing_else(client: Client) -> None:
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


@pytest.mark.parametrize(
    "address",
    [
        # They would be the documents of other issuers (RFC 8414, 3.1), which we are not.
        f"{SERVER}/api/mcp",
        "/api/mcp/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/api/mcp",
        f"{RESOURCE}/api",
        f"{RESOURCE}/api/rest",
    ],
)
@pytest.mark.django_db
def test_other_places_hold_nothing(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("address", [RESOURCE, f"{RESOURCE}/api/mcp", SERVER])
def test_programs_in_browsers_may_read_it_without_credentials(client: Client, address: str) -> None:
    origin = {"Origin": "https://inspector.example"}
    response = client.get(address, headers=origin)
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response
    asked = client.options(address, headers={**origin, "Access-Control-Request-Method": "GET"})
    assert asked.status_code == 204
    assert "MCP-Protocol-Version" in asked["Access-Control-Allow-Headers"]
    assert client.post(address).status_code == 405


@pytest.mark.parametrize("address", ["register", "token", "revoke"])
def test_programs_in_browsers_may_call_the_doors(client: Client, address: str) -> None:
    asked = client.options(
        f"/api/oauth/{address}",
        headers={"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"},
    )
    assert asked.status_code == 204
    assert asked["Access-Control-Allow-Origin"] == "*"
    assert asked["Access-Control-Allow-Methods"] == "POST"
    assert "Content-Type" in asked["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in asked
    assert client.get(f"/api/oauth/{address}").status_code == 405


@pytest.mark.parametrize(
    "address",
    ["applications/", "introspect/", "device/", "device-authorization/", "userinfo/", "logout/"],
)
@pytest.mark.parametrize("below", ["/oauth/", "/api/oauth/", "/o/"])
@pytest.mark.django_db
def test_nothing_else_of_the_toolkit_is_served(client: Client, below: str, address: str) -> None:
    assert client.get(below + address).status_code == 404
    assert client.post(below + address).status_code == 404
