"""Security cases of storage: no log line has a code, token, verifier or session."""

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.mcp.endpoint import Endpoint
from tests.support.oauth.assertions import assert_unauthorized, flow_of
from tests.support.oauth.flow import Flow, post_token
from tests.support.personas import PASSWORD, Personas
from tests.support.saved_rows import dump_all_tables
from visual_review.audit.models import AuditEntry


@pytest.fixture(autouse=True)
def all_log_levels(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Log everything, as when an operator debugs a problem."""
    with ExitStack() as levels:
        for name in ("", "visual_review", "django.request", "mcp", "oauth2_provider", "httpx"):
            levels.enter_context(caplog.at_level(logging.DEBUG, name))
        yield


def secrets_of_a_sign_in(flow: Flow, personas: Personas, endpoint: Endpoint) -> set[str]:
    """Sign in, with some errors; returns every used secret."""
    unused, code = flow.code(personas.bob), flow.code(personas.bob)
    flow.exchange(code, code_verifier="w" * 64)
    flow.exchange(code, redirect_uri="https://evil.example/")
    tokens = json.loads(flow.exchange(code).content)
    refreshed = json.loads(flow.refresh(tokens["refresh_token"]).content)
    flow.refresh(refreshed["refresh_token"], scope="read write admin")
    flow.refresh(tokens["access_token"])
    endpoint.call(refreshed["access_token"], "list_repos", {})
    endpoint.ask(refreshed["access_token"], "tools/call", {"name": "x", "arguments": {}})
    post_token({"token": tokens["access_token"], "client_id": flow.client_id}, "/api/oauth/revoke")
    flow.exchange(code)
    assert_unauthorized(endpoint, refreshed["access_token"])
    flow.browser.get(f"/oauth/authorize?code={code}&token={tokens['access_token']}")
    post_token({"a": "b"}, f"/api/oauth/token?refresh_token={tokens['refresh_token']}")
    return {
        unused,
        code,
        flow.verifier,
        tokens["access_token"],
        tokens["refresh_token"],
        refreshed["access_token"],
        refreshed["refresh_token"],
        flow.browser.cookies["sessionid"].value,
        PASSWORD,
    }


def test_no_log_line_contains_a_secret(
    personas: Personas, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Masking does not help here: masking recognizes secrets by their form, and a code has none."""
    secrets = secrets_of_a_sign_in(flow_of(personas.bob), personas, endpoint)
    # SQL statements are logged with values only in debug mode, never used by us.
    lines = [
        f"{record.getMessage()} {record.exc_text or ''}"
        for record in caplog.records
        if not record.name.startswith("django.db")
    ]
    assert any("/api/oauth/token" in line for line in lines)
    assert not [line for line in lines if any(secret in line for secret in secrets)]


def test_neither_the_audit_log_nor_any_table_contains_a_secret(
    personas: Personas, endpoint: Endpoint
) -> None:
    secrets = secrets_of_a_sign_in(flow_of(personas.bob), personas, endpoint)
    stored = dump_all_tables()
    assert not {secret for secret in secrets if secret in stored}
    # Nor the part after the prefix.
    bare = {secret.removeprefix("vr_access_").removeprefix("vr_refresh_") for secret in secrets}
    assert not {secret for secret in bare if secret in stored}
    assert {entry.verb for entry in AuditEntry.objects.all()} >= {
        "app.connected",
        "app.reuse_detected",
    }
