"""Assertions of security cases: each must end with an error, and nothing stored."""

import json
import re
from typing import Any

from django.db.models import Value
from django.http import HttpResponse
from oauth2_provider.models import Application

from tests.support.mcp.endpoint import Endpoint
from tests.support.oauth.flow import REDIRECT, Flow, continue_link, response_parameters
from tests.support.pages import signed_in
from tests.support.personas import Persona
from visual_review.accounts.models import AccessToken, Grant, RefreshToken, TokenFamily
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.resource import issuer, resource

FORM = "application/x-www-form-urlencoded"
# The targets of all links and automatic redirects of a page.
LINK_TARGETS = re.compile(r'(?:href|action|src|url)=["\']?([^"\'>\s]+)')


def client_with(*redirects: str, name: str = "Attacked client") -> str:
    """Register a client without the endpoint, whose rate limit does not apply then."""
    return str(register(ClientMetadata(name, redirects or (REDIRECT,))).client_id)


def flow_of(persona: Persona, *redirects: str) -> Flow:
    redirect = redirects[0] if redirects else REDIRECT
    return Flow(client_with(*redirects), signed_in(persona), redirect=redirect)


def substitute(value: Any, values: dict[str, str]) -> Any:  # noqa: ANN401 - A parameter's value.
    """Replace the first word of ``value`` by a value only known at run time."""
    if isinstance(value, list):
        return [substitute(each, values) for each in value]
    for word, text in values.items():
        if isinstance(value, str) and value.startswith(word):
            return text + value[len(word) :]
    return value


def document_in(response: HttpResponse) -> dict[str, Any]:
    return dict(json.loads(response.content))


def assert_error_page(response: HttpResponse) -> None:
    """Check for a page of our own, without links to other sites (RFC 6749, 3.1.2.4)."""
    assert response.status_code == 400
    assert "Location" not in response
    page = response.content.decode()
    assert 'id="continue"' not in page
    assert "http-equiv" not in page
    outside = [target for target in LINK_TARGETS.findall(page) if not target.startswith(("/", "#"))]
    assert not outside
    assert_nothing_granted()


def assert_error_for_client(response: HttpResponse, error: str, redirect: str = REDIRECT) -> None:
    """The error goes to the registered redirect URI, with the issuer (RFC 9207, 2)."""
    assert response.status_code == 200
    assert continue_link(response).startswith(redirect)
    parameters = response_parameters(response)
    assert parameters["error"] == error
    assert parameters["iss"] == issuer()
    assert "code" not in parameters
    assert_nothing_granted()


def assert_token_error(response: HttpResponse, error: str, status: int = 400) -> None:
    """The error follows RFC 6749, 5.2: no token, not cached, no internals."""
    assert (response.status_code, document_in(response)["error"]) == (status, error)
    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"] == "application/json"
    assert document_in(response).keys() <= {"error", "error_description"}


def assert_nothing_granted() -> None:
    """No grant, code or token; one query, since most cases end here."""
    kinds = (Grant, TokenFamily, AccessToken, RefreshToken)
    first, *others = [
        kind.objects.order_by().values_list(Value(kind.__name__), flat=True) for kind in kinds
    ]
    assert not list(first.union(*others))


def assert_nothing_registered() -> None:
    assert not Application.objects.exists()


def status_of(endpoint: Endpoint, token: str | None, **headers: str) -> int:
    """Return the status of a call to the MCP endpoint with the given credential."""
    return endpoint.ask(token, "tools/list", **headers).status_code


def assert_unauthorized(endpoint: Endpoint, token: str) -> None:
    """RFC 6750, 3.1 and RFC 9728, 5.1: 401, and where to sign in again."""
    response = endpoint.ask(token, "tools/list")
    assert response.status_code == 401
    challenge = response.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert 'error="invalid_token"' in challenge
    assert f'resource_metadata="{issuer()}/.well-known/' in challenge
    assert token not in response.text + challenge


def other_resource() -> str:
    """Return another resource of the same issuer; we issue no tokens for it."""
    return resource() + "/other"
