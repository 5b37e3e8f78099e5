"""Security cases of refresh tokens: stolen, reused, used for more scopes, or by another client."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.mcp.endpoint import Endpoint
from tests.support.oauth.assertions import (
    assert_token_error,
    assert_unauthorized,
    client_with,
    document_in,
    flow_of,
    status_of,
    substitute,
)
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import AccessToken, Grant, RefreshToken, TokenFamily
from visual_review.accounts.oauth.lifetimes import REFRESH_GRACE
from visual_review.accounts.secrets import digest
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now

Tokens = dict[str, Any]


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob)


@pytest.fixture
def tokens(flow: Flow, personas: Personas) -> Tokens:
    return flow.tokens(personas.bob)


def refreshed(flow: Flow, tokens: Tokens) -> Tokens:
    response = flow.refresh(tokens["refresh_token"])
    assert response.status_code == 200, response.content
    return document_in(response)


def end_the_grace_period() -> None:
    RefreshToken.objects.exclude(rotated_at=None).update(
        rotated_at=now() - REFRESH_GRACE - timedelta(seconds=1)
    )


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("an access token (RFC 6749, 6)", {"refresh_token": "ACCESS"}, "invalid_grant"),
    ("one letter more", {"refresh_token": "REFRESHx"}, "invalid_grant"),
    ("a blank behind", {"refresh_token": "REFRESH "}, "invalid_grant"),
    ("a zero byte behind", {"refresh_token": "REFRESH\0"}, "invalid_grant"),
    ("the digest that is stored", {"refresh_token": "DIGEST"}, "invalid_grant"),
    ("nothing", {"refresh_token": ""}, "invalid_request"),
    ("it twice (RFC 6749, 3.2)", {"refresh_token": ["REFRESH", "REFRESH"]}, "invalid_request"),
    ("it as a code", {"grant_type": "authorization_code", "code": "REFRESH"}, "invalid_grant"),
    ("another client (RFC 6749, 6)", {"client_id": "OTHER"}, "invalid_grant"),
    ("an unknown client", {"client_id": "client_unknown"}, "invalid_client"),
    ("no client", {"client_id": ""}, "invalid_client"),
    ("two clients (RFC 6749, 3.2)", {"client_id": ["OTHER", "OWN"]}, "invalid_request"),
    ("another resource (RFC 8707, 2.2)", {"resource": "https://evil.example/"}, "invalid_target"),
    ("all there is (RFC 6749, 6)", {"scope": "read write admin"}, "invalid_scope"),
    ("another scope", {"scope": "openid"}, "invalid_scope"),
    ("a permission", {"scope": "repos:manage"}, "invalid_scope"),
    ("a star", {"scope": "*"}, "invalid_scope"),
    ("capitals", {"scope": "READ"}, "invalid_scope"),
    ("scopes with commas", {"scope": "read,write"}, "invalid_scope"),
    ("two lists of scopes (RFC 6749, 3.2)", {"scope": ["read", "write"]}, "invalid_request"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_invalid_requests(flow: Flow, tokens: Tokens, endpoint: Endpoint, case: Case) -> None:
    values = {
        "ACCESS": tokens["access_token"],
        "REFRESH": tokens["refresh_token"],
        "DIGEST": digest(tokens["refresh_token"]),
        "OTHER": client_with(),
        "OWN": flow.client_id,
    }
    for name, changes, error in FAULTS:
        with case(name):
            form = {key: substitute(value, values) for key, value in changes.items()}
            response = flow.refresh(**{"refresh_token": tokens["refresh_token"], **form})
            assert_token_error(response, error, 401 if error == "invalid_client" else 400)
            # The error rotated nothing and signed no one out.
            assert (AccessToken.objects.count(), RefreshToken.objects.count()) == (1, 1)
            assert status_of(endpoint, tokens["access_token"]) == 200
            assert flow.refresh(tokens["refresh_token"]).status_code == 200


WIDER_SCOPES = [
    ("the other one", "write"),
    ("both", "read write"),
    ("turned round", "write read"),
    ("named twice", "read read write"),
    ("with many blanks", "read   write"),
    ("with a line break", "read\nwrite"),
]


def test_a_read_only_app_cannot_extend_its_scope(
    flow: Flow, personas: Personas, endpoint: Endpoint, case: Case
) -> None:
    """RFC 6749, 6: nothing without the person's grant."""
    tokens = flow.tokens(personas.bob, "read")
    approve = {"name": "approve_build", "arguments": {}}
    for name, scope in WIDER_SCOPES:
        with case(name):
            assert_token_error(flow.refresh(tokens["refresh_token"], scope=scope), "invalid_scope")
            again = refreshed(flow, tokens)
            assert again["scope"] == "read"
            response = endpoint.ask(again["access_token"], "tools/call", approve)
            assert response.status_code == 403


def test_a_removed_scope_cannot_be_refreshed(flow: Flow, personas: Personas) -> None:
    wide = flow.tokens(personas.bob)
    flow.decide(personas.bob, "read")
    answer = flow.refresh(wide["refresh_token"], scope="read write")
    assert_token_error(answer, "invalid_scope")
    assert not caller_of_bearer(refreshed(flow, wide)["access_token"]).may("builds:review")


def test_an_unknown_stored_scope_grants_nothing(flow: Flow, tokens: Tokens) -> None:
    """Whatever is stored, a token has only the permissions of known scopes."""
    AccessToken.objects.update(scope="admin owner *")
    assert caller_of_bearer(tokens["access_token"]).permissions == frozenset()
    Grant.objects.update(scope="")
    AccessToken.objects.update(scope="read write")
    assert caller_of_bearer(tokens["access_token"]).permissions == frozenset()
    assert flow.client_id


def test_within_the_grace_period_both_tokens_work(
    flow: Flow, tokens: Tokens, endpoint: Endpoint
) -> None:
    first, second = refreshed(flow, tokens), refreshed(flow, tokens)
    assert first["refresh_token"] != second["refresh_token"]
    for each in (first, second):
        assert status_of(endpoint, each["access_token"]) == 200
        assert status_of(endpoint, refreshed(flow, each)["access_token"]) == 200
    assert not AuditEntry.objects.filter(verb="app.reuse_detected").exists()


def test_reuse_after_the_grace_period_revokes_the_whole_family(
    flow: Flow, tokens: Tokens, endpoint: Endpoint
) -> None:
    """RFC 9700, 4.14.2: the tokens of both the client and the attacker are revoked."""
    generations = [tokens]
    for _ in range(3):
        generations.append(refreshed(flow, generations[-1]))
        end_the_grace_period()
    assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    for each in generations:
        assert_unauthorized(endpoint, each["access_token"])
        assert_token_error(flow.refresh(each["refresh_token"]), "invalid_grant")
    entry = AuditEntry.objects.get(verb="app.reuse_detected")
    assert entry.after == {"reused": "refresh token"}


def test_the_grace_period_is_not_extended(flow: Flow, tokens: Tokens, endpoint: Endpoint) -> None:
    """An attacker cannot keep the old token valid by using it again and again."""
    first = refreshed(flow, tokens)
    almost = now() - REFRESH_GRACE / 2
    RefreshToken.objects.exclude(rotated_at=None).update(rotated_at=almost)
    refreshed(flow, tokens)
    assert (
        RefreshToken.objects.get(secret_hash=digest(tokens["refresh_token"])).rotated_at == almost
    )
    end_the_grace_period()
    assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    assert_unauthorized(endpoint, first["access_token"])


def test_a_late_reuse_by_another_client_revokes_nothing(
    flow: Flow, tokens: Tokens, endpoint: Endpoint
) -> None:
    """Otherwise anyone who finds an old token could sign people out."""
    again = refreshed(flow, tokens)
    end_the_grace_period()
    answer = flow.refresh(tokens["refresh_token"], client_id=client_with())
    assert_token_error(answer, "invalid_grant")
    assert status_of(endpoint, again["access_token"]) == 200


def test_reuse_revokes_only_its_own_family(
    flow: Flow, personas: Personas, endpoint: Endpoint
) -> None:
    one, other = flow.tokens(personas.bob), flow.tokens(personas.bob)
    refreshed(flow, one)
    end_the_grace_period()
    assert_token_error(flow.refresh(one["refresh_token"]), "invalid_grant")
    assert status_of(endpoint, other["access_token"]) == 200
    assert TokenFamily.objects.filter(ended_at=None).count() == 1


def test_a_family_expires_after_three_months_without_use(flow: Flow, tokens: Tokens) -> None:
    RefreshToken.objects.update(expires_at=now() - timedelta(seconds=1))
    assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    # The used token still counts as used after its expiry.
    RefreshToken.objects.update(rotated_at=now() - timedelta(days=1))
    assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    assert TokenFamily.objects.get().ended_at is not None


def test_a_revoked_family_cannot_be_refreshed_within_the_grace_period(
    flow: Flow, tokens: Tokens
) -> None:
    again = refreshed(flow, tokens)
    TokenFamily.objects.update(ended_at=now())
    for each in (tokens, again):
        assert_token_error(flow.refresh(each["refresh_token"]), "invalid_grant")
