"""Helpers for tests that use pages through Django's client."""

import re
from html import unescape
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from django.http import HttpRequest
from django.test import Client

from tests.support.personas import PASSWORD, Persona

SECRET = re.compile(r'id="secret"[^>]*>([^<]+)<')


def signed_in(persona: Persona) -> Client:
    """Return a client after a fresh sign-in; test_web_sign_in tests the sign-in form."""
    client = Client()
    client.force_login(persona.user)
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, persona.user, "password")
    request.session.save()
    return client


def text_of(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, response.status_code
    return response.content.decode()


def shown_secret(content: bytes) -> str:
    """Return the secret that a page shows once."""
    found = SECRET.search(content.decode())
    assert found, content.decode()
    return unescape(found[1]).strip()


def path_of(link: str) -> str:
    """Return the path and query of a complete URL."""
    return "/" + link.split("/", 3)[3]


def sign_in(client: Client, email: str, password: str = PASSWORD, **more: str) -> Any:  # noqa: ANN401 - A test response.
    return client.post("/sign-in", {"login": email, "password": password, **more})
