"""API keys and project tokens for tests, and calls over HTTP."""

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.support.personas import Persona
from visual_review.accounts.models import ApiKey
from visual_review.accounts.secrets import ORGANIZATION_KEY, USER_KEY, new_secret


def user_key(persona: Persona, permissions: tuple[str, ...] = ()) -> str:
    """Create a key of the persona; without permissions the key has all of the role."""
    secret = new_secret(USER_KEY)
    ApiKey.objects.create(
        organization=persona.organization,
        user=persona.user,
        name="test",
        hint=secret.hint,
        secret_hash=secret.digest,
        permissions=list(permissions),
    )
    return secret.text


def organization_key(persona: Persona, permissions: tuple[str, ...]) -> str:
    """Create a key of the persona's organization with exactly the given permissions."""
    secret = new_secret(ORGANIZATION_KEY)
    ApiKey.objects.create(
        organization=persona.organization,
        name="test",
        hint=secret.hint,
        secret_hash=secret.digest,
        permissions=list(permissions),
    )
    return secret.text


def call(key: str | None, action: str, body: dict[str, Any] | bytes, **more: str) -> HttpResponse:
    """Call an action like a client without cookies; bytes are sent unchanged."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    # Django's client drops the type of an empty body, unless the environment sets the type.
    more.setdefault("CONTENT_TYPE", "application/json")
    return client.generic("POST", f"/api/rest/actions/{action}", data, headers=headers, **more)
