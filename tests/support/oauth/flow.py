"""The OAuth flow of an MCP client, with Django's test client as the browser."""

import base64
import hashlib
import json
import re
import secrets
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.http import HttpResponse
from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Persona
from visual_review.accounts.oauth.resource import resource

REDIRECT = "http://127.0.0.1:33418/callback"
Value = str | list[str] | None
LINK = re.compile(r'id="continue" href="([^"]+)"')


def register(**metadata: object) -> HttpResponse:
    body = {"client_name": "Test client", "redirect_uris": [REDIRECT], **metadata}
    return Client().post("/api/oauth/register", json.dumps(body), content_type="application/json")


def new_client(**metadata: object) -> str:
    response = register(**metadata)
    assert response.status_code == 201, response.content
    return str(json.loads(response.content)["client_id"])


def continue_link(response: HttpResponse) -> str:
    """Return the URL of the page's link to continue."""
    found = LINK.search(response.content.decode())
    assert found, response.content.decode()
    return unescape(found[1])


def response_parameters(response: HttpResponse) -> dict[str, str]:
    """Return the parameters of an authorization response; none may be repeated."""
    query = parse_qs(urlsplit(continue_link(response)).query, keep_blank_values=True)
    assert all(len(values) == 1 for values in query.values()), query
    return {name: values[0] for name, values in query.items()}


@dataclass
class Flow:
    """One client and one browser; ``parameters`` are the parameters of a correct request."""

    client_id: str
    browser: Client
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    redirect: str = REDIRECT

    @classmethod
    def of(cls, persona: Persona, client_id: str | None = None) -> "Flow":
        return cls(client_id or new_client(), signed_in(persona))

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def parameters(self, **changes: Value) -> dict[str, str | list[str]]:
        """A correct request with ``changes``; None omits a parameter."""
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "scope": "read write",
            "state": "a state",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "resource": resource(),
            **changes,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    def url(self, **changes: Value) -> str:
        return "/oauth/authorize?" + urlencode(self.parameters(**changes), doseq=True)

    def ask(self, **changes: Value) -> HttpResponse:
        return self.browser.get(self.url(**changes))

    def decide(
        self, persona: Persona, access: str = "changes", decision: str = "allow", **changes: Value
    ) -> HttpResponse:
        form = {"organization": persona.organization.id, "access": access, "decision": decision}
        return self.browser.post(self.url(**changes), form)

    def code(self, persona: Persona, access: str = "changes", **changes: Value) -> str:
        response = self.decide(persona, access, **changes)
        assert response.status_code == 200, response.content.decode()
        return response_parameters(response)["code"]

    def exchange(self, code: str, **changes: Value) -> HttpResponse:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "code_verifier": self.verifier,
            "resource": resource(),
            **changes,
        }
        return post_token({name: value for name, value in form.items() if value is not None})

    def refresh(self, refresh_token: str, **changes: Value) -> HttpResponse:
        form = {
            "grant_type": "refresh_token",
            "refresh_token": refresh_token,
            "client_id": self.client_id,
            **changes,
        }
        return post_token(form)

    def tokens(self, persona: Persona, access: str = "changes", **changes: Value) -> dict[str, Any]:
        response = self.exchange(self.code(persona, access, **changes))
        assert response.status_code == 200, response.content
        return dict(json.loads(response.content))


def post_token(form: dict[str, Any], path: str = "/api/oauth/token") -> HttpResponse:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    return client.post(
        path,
        urlencode(form, doseq=True),
        content_type="application/x-www-form-urlencoded",
    )


def error_in(response: HttpResponse) -> str:
    return str(json.loads(response.content)["error"])
