"""What attacks are made of, and what each must leave behind: a refusal, and nothing else."""

import json
import re
from collections.abc import Iterable
from typing import Any

import pytest
from django.http import HttpResponse
from oauth2_provider.models import Application

from tests.doors.mcp.client import Endpoint
from tests.doors.oauth.flow import REDIRECT, Flow, answer_in, shown_link
from tests.doors.pages import signed_in
from tests.personas import Persona
from visual_review.accounts.models import AccessToken, Grant, RefreshToken, TokenFamily
from visual_review.accounts.oauth.client_rules import ClientFacts
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.resource import issuer, resource

FORM = "application/x-www-form-urlencoded"
# Of every link and every automatic move of a page.
PLACES = re.compile(r'(?:href|action|src|url)=["\']?([^"\'>\s]+)')


def lines(rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The rows of a table as parameters; the first cell names the attack and who forbids it."""
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


def client_with(*redirects: str, name: str = "Attacked client") -> str:
    """A registered client, made without the door, whose limit a table would soon reach."""
    return str(register(ClientFacts(name, redirects or (REDIRECT,))).client_id)


def flow_of(persona: Persona, *redirects: str) -> Flow:
    redirect = redirects[0] if redirects else REDIRECT
    return Flow(client_with(*redirects), signed_in(persona), redirect=redirect)


def filled(value: Any, words: dict[str, str]) -> Any:  # noqa: ANN401 - A parameter's value.
    """``value`` with the word it begins with replaced by what is known only at run time."""
    if isinstance(value, list):
        return [filled(each, words) for each in value]
    for word, text in words.items():
        if isinstance(value, str) and value.startswith(word):
            return text + value[len(word) :]
    return value


def document_in(response: HttpResponse) -> dict[str, Any]:
    return dict(json.loads(response.content))


def assert_told_nobody(response: HttpResponse) -> None:
    """A page of our own that leads nowhere else (RFC 6749, 3.1.2.4)."""
    assert response.status_code == 400
    assert "Location" not in response
    page = response.content.decode()
    assert 'id="continue"' not in page
    assert "http-equiv" not in page
    outside = [place for place in PLACES.findall(page) if not place.startswith(("/", "#"))]
    assert not outside
    assert_nothing_given()


def assert_told_client(response: HttpResponse, error: str, redirect: str = REDIRECT) -> None:
    """The error goes to the registered redirect, named by its issuer (RFC 9207, 2)."""
    assert response.status_code == 200
    assert shown_link(response).startswith(redirect)
    answer = answer_in(response)
    assert answer["error"] == error
    assert answer["iss"] == issuer()
    assert "code" not in answer
    assert_nothing_given()


def assert_refused(response: HttpResponse, error: str, status: int = 400) -> None:
    """As RFC 6749, 5.2 has it: no token, nothing to keep, no internals."""
    assert (response.status_code, document_in(response)["error"]) == (status, error)
    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"] == "application/json"
    assert document_in(response).keys() <= {"error", "error_description"}


def assert_nothing_given() -> None:
    kinds = (Grant, TokenFamily, AccessToken, RefreshToken)
    assert {kind.__name__: kind.objects.count() for kind in kinds} == {
        kind.__name__: 0 for kind in kinds
    }


def assert_nothing_registered() -> None:
    assert not Application.objects.exists()


def answer_of(endpoint: Endpoint, token: str | None, **headers: str) -> int:
    """The status with which the MCP endpoint answers a call with this credential."""
    return endpoint.ask(token, "tools/list", **headers).status_code


def assert_shut_out(endpoint: Endpoint, token: str) -> None:
    """RFC 6750, 3.1 and RFC 9728, 5.1: 401, and where to sign in anew."""
    answer = endpoint.ask(token, "tools/list")
    assert answer.status_code == 401
    challenge = answer.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert 'error="invalid_token"' in challenge
    assert f'resource_metadata="{issuer()}/.well-known/' in challenge
    assert token not in answer.text + challenge


def elsewhere() -> str:
    """Another resource of the same issuer, which is not ours to give tokens for."""
    return resource() + "/other"
