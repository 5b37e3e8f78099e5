"""Codes and tokens in the whole flow: exchanged how often, and revoked how."""

import json
import secrets
from datetime import timedelta
from itertools import product

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.oauth.flow import (
    Flow,
    Value,
    error_in,
    new_client,
    post_token,
    response_parameters,
)
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import (
    AccessToken,
    Grant,
    Membership,
    RefreshToken,
    TokenFamily,
    User,
)
from visual_review.accounts.oauth.lifetimes import (
    ACCESS_LIFETIME,
    CODE_LIFETIME,
    REFRESH_GRACE,
    REFRESH_LIFETIME,
)
from visual_review.accounts.oauth.resource import issuer
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError

FORM = "application/x-www-form-urlencoded"
OTHER_RESOURCE = "https://evil.example/api/mcp"
REVOKE = "/api/oauth/revoke"
KINDS = ("access_token", "refresh_token")


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return Flow.of(personas.bob)


def is_valid(token: str) -> bool:
    try:
        caller_of_bearer(token)
    except UnauthenticatedError:
        return False
    return True


def end_the_grace_period() -> None:
    """End the grace period of all used refresh tokens."""
    RefreshToken.objects.exclude(rotated_at=None).update(
        rotated_at=now() - REFRESH_GRACE - timedelta(seconds=1)
    )


INVALID_EXCHANGES: list[tuple[dict[str, Value], int, str]] = [
    ({"code": None}, 400, "invalid_request"),
    ({"code": "unknown"}, 400, "invalid_grant"),
    ({"code": "nul\0"}, 400, "invalid_grant"),
    ({"code_verifier": None}, 400, "invalid_request"),
    ({"code_verifier": secrets.token_urlsafe(48)}, 400, "invalid_grant"),
    ({"code_verifier": "short"}, 400, "invalid_grant"),
    ({"client_id": None}, 401, "invalid_client"),
    ({"client_id": "client_unknown"}, 401, "invalid_client"),
    ({"redirect_uri": "http://127.0.0.1:1/callback"}, 400, "invalid_grant"),
    ({"redirect_uri": "https://evil.example/"}, 400, "invalid_grant"),
    ({"resource": OTHER_RESOURCE}, 400, "invalid_target"),
    ({"resource": ["http://127.0.0.1:8000/api/mcp", OTHER_RESOURCE]}, 400, "invalid_target"),
    ({"grant_type": None}, 400, "unsupported_grant_type"),
    ({"grant_type": "password"}, 400, "unsupported_grant_type"),
    ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
    (
        {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "x"},
        400,
        "unsupported_grant_type",
    ),
    ({"code": ["a", "b"]}, 400, "invalid_request"),
    ({"code_verifier": ["a", "b"]}, 400, "invalid_request"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_invalid_exchanges(flow: Flow, personas: Personas, case: Case) -> None:
    code = flow.code(personas.bob)
    for changes, status, error in INVALID_EXCHANGES:
        with case(changes):
            response = flow.exchange(**{"code": code, **changes})
            assert (response.status_code, error_in(response)) == (status, error)
            assert response["Cache-Control"] == "no-store"
            assert response["Content-Type"] == "application/json"
            assert not AccessToken.objects.exists()
            # The error did not use the code.
            assert flow.exchange(code).status_code == 200


def test_parameters_that_oauth_2_1_does_not_require_may_be_missing(
    flow: Flow, personas: Personas, case: Case
) -> None:
    code = flow.code(personas.bob)
    for name in ("redirect_uri", "resource"):
        with case(name):
            assert flow.exchange(code, **{name: None}).status_code == 200


def test_a_code_expires_after_a_minute(flow: Flow, personas: Personas) -> None:
    code = flow.code(personas.bob)
    family = TokenFamily.objects.get()
    assert family.code_expires_at - family.created_at == CODE_LIFETIME == timedelta(seconds=60)
    TokenFamily.objects.update(code_expires_at=now())
    assert error_in(flow.exchange(code)) == "invalid_grant"


def test_a_code_belongs_to_its_client(flow: Flow, personas: Personas) -> None:
    code = flow.code(personas.bob)
    assert error_in(flow.exchange(code, client_id=new_client())) == "invalid_grant"
    assert flow.exchange(code).status_code == 200


def test_a_reused_code_revokes_its_tokens(flow: Flow, personas: Personas) -> None:
    code = flow.code(personas.bob)
    tokens = json.loads(flow.exchange(code).content)
    other = flow.tokens(personas.bob)
    assert error_in(flow.exchange(code)) == "invalid_grant"
    assert not is_valid(tokens["access_token"])
    assert error_in(flow.refresh(tokens["refresh_token"])) == "invalid_grant"
    assert is_valid(other["access_token"])
    assert error_in(flow.exchange(code)) == "invalid_grant"
    entry = AuditEntry.objects.get(verb="app.reuse_detected")
    assert entry.after == {"reused": "code"}
    assert (entry.client, entry.client_id) == ("Test client", flow.client_id)
    assert entry.credential_id == entry.target_id == Grant.objects.get().id
    assert entry.organization_id == personas.bob.organization.id


def test_lifetimes_of_tokens(flow: Flow, personas: Personas) -> None:
    tokens = flow.tokens(personas.bob)
    access, refresh = AccessToken.objects.get(), RefreshToken.objects.get()
    assert access.expires_at - access.created_at == ACCESS_LIFETIME == timedelta(hours=1)
    assert refresh.expires_at - refresh.created_at == REFRESH_LIFETIME == timedelta(days=90)
    AccessToken.objects.update(expires_at=now())
    assert not is_valid(tokens["access_token"])
    RefreshToken.objects.update(expires_at=now())
    assert error_in(flow.refresh(tokens["refresh_token"])) == "invalid_grant"
    # An expired token is not treated as stolen.
    assert not AuditEntry.objects.filter(verb="app.reuse_detected").exists()


def test_refresh_tokens_are_rotated(flow: Flow, personas: Personas) -> None:
    first = flow.tokens(personas.bob)
    second = json.loads(flow.refresh(first["refresh_token"]).content)
    assert second["refresh_token"] != first["refresh_token"]
    assert second["scope"] == "read write"
    assert is_valid(second["access_token"])
    # The previous access token stays valid for calls in progress.
    assert is_valid(first["access_token"])
    end_the_grace_period()
    third = json.loads(flow.refresh(second["refresh_token"]).content)
    assert is_valid(third["access_token"])


def test_reuse_revokes_the_whole_family(flow: Flow, personas: Personas) -> None:
    first = flow.tokens(personas.bob)
    second = json.loads(flow.refresh(first["refresh_token"]).content)
    end_the_grace_period()
    assert error_in(flow.refresh(first["refresh_token"])) == "invalid_grant"
    for tokens in (first, second):
        assert not is_valid(tokens["access_token"])
        assert error_in(flow.refresh(tokens["refresh_token"])) == "invalid_grant"
    entry = AuditEntry.objects.get(verb="app.reuse_detected")
    assert entry.after == {"reused": "refresh token"}
    # The person has to consent again; the grant is the same.
    assert is_valid(flow.tokens(personas.bob)["access_token"])
    assert Grant.objects.count() == 1


def test_a_second_use_within_the_grace_period_succeeds(flow: Flow, personas: Personas) -> None:
    first = flow.tokens(personas.bob)
    answers = [json.loads(flow.refresh(first["refresh_token"]).content) for _ in range(3)]
    assert len({answer["refresh_token"] for answer in answers}) == 3
    assert all(is_valid(answer["access_token"]) for answer in answers)
    end_the_grace_period()
    for answer in answers:
        assert flow.refresh(answer["refresh_token"]).status_code == 200


INVALID_REFRESHES: list[tuple[dict[str, Value], int, str]] = [
    ({"refresh_token": "vr_refresh_unknown"}, 400, "invalid_grant"),
    ({"refresh_token": ""}, 400, "invalid_request"),
    ({"scope": "read write openid"}, 400, "invalid_scope"),
    ({"client_id": ""}, 401, "invalid_client"),
    ({"resource": OTHER_RESOURCE}, 400, "invalid_target"),
    ({"refresh_token": ["a", "b"]}, 400, "invalid_request"),
]


def test_invalid_refreshes(flow: Flow, personas: Personas, case: Case) -> None:
    tokens = flow.tokens(personas.bob)
    for changes, status, error in INVALID_REFRESHES:
        with case(changes):
            response = flow.refresh(**{"refresh_token": tokens["refresh_token"], **changes})
            assert (response.status_code, error_in(response)) == (status, error)
            assert flow.refresh(tokens["refresh_token"]).status_code == 200


def test_a_refresh_can_reduce_the_scope_but_not_extend_it(flow: Flow, personas: Personas) -> None:
    tokens = flow.tokens(personas.bob, "read")
    assert error_in(flow.refresh(tokens["refresh_token"], scope="read write")) == "invalid_scope"
    wide = flow.tokens(personas.bob)
    narrow = json.loads(flow.refresh(wide["refresh_token"], scope="read").content)
    assert narrow["scope"] == "read"
    assert not caller_of_bearer(narrow["access_token"]).may("builds:review")
    # The refresh token keeps its scope (RFC 6749, 6).
    assert json.loads(flow.refresh(narrow["refresh_token"]).content)["scope"] == "read write"


def test_a_refresh_token_belongs_to_its_client(flow: Flow, personas: Personas) -> None:
    tokens = flow.tokens(personas.bob)
    answer = flow.refresh(tokens["refresh_token"], client_id=new_client())
    assert error_in(answer) == "invalid_grant"
    assert is_valid(tokens["access_token"])


def test_a_former_member_cannot_refresh(flow: Flow, personas: Personas) -> None:
    tokens = flow.tokens(personas.bob)
    code = flow.code(personas.bob)
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
    assert error_in(flow.refresh(tokens["refresh_token"])) == "invalid_grant"
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=True)
    Membership.objects.filter(user=personas.bob.user).delete()
    assert error_in(flow.refresh(tokens["refresh_token"])) == "invalid_grant"
    assert error_in(flow.exchange(code)) == "invalid_grant"


@pytest.mark.usefixtures("without_rate_limits")
def test_a_client_can_revoke_its_tokens(flow: Flow, personas: Personas, case: Case) -> None:
    tokens, other = flow.tokens(personas.bob), flow.tokens(personas.bob)
    hints = (None, *KINDS, "nonsense")
    for kind, hint in product(KINDS, hints):
        with case(f"{kind}, hint {hint}"):
            form = {"token": tokens[kind], "client_id": flow.client_id}
            if hint:
                form["token_type_hint"] = hint
            for _ in range(2):
                response = post_token(form, REVOKE)
                assert (response.status_code, response.content) == (200, b"")
            assert not is_valid(tokens["access_token"])
            refreshed = flow.refresh(tokens["refresh_token"])
            assert refreshed.status_code == (400 if kind == "refresh_token" else 200)
            assert is_valid(other["access_token"])
            entries = AuditEntry.objects.filter(verb="app.signed_out").count()
            assert entries == (1 if kind == "refresh_token" else 0)


def test_a_client_cannot_revoke_tokens_of_another(flow: Flow, personas: Personas) -> None:
    tokens = flow.tokens(personas.bob)
    other = new_client()
    for kind in KINDS:
        form = {"token": tokens[kind], "client_id": other}
        assert post_token(form, REVOKE).status_code == 200
    assert is_valid(tokens["access_token"])
    assert flow.refresh(tokens["refresh_token"]).status_code == 200
    for form, error in (
        ({"token": tokens["access_token"]}, "invalid_client"),
        ({"client_id": flow.client_id}, "invalid_request"),
        ({"token": "x", "client_id": "nobody"}, "invalid_client"),
    ):
        assert error_in(post_token(form, REVOKE)) == error
    unknown = {"token": "vr_access_unknown", "client_id": flow.client_id}
    assert post_token(unknown, REVOKE).status_code == 200


@pytest.mark.django_db
def test_only_forms_are_accepted_without_a_query(client: Client, case: Case) -> None:
    for path in ("/api/oauth/token", REVOKE):
        with case(path):
            form = {"grant_type": "refresh_token"}
            response = client.post(path, form, content_type="application/json")
            assert (response.status_code, error_in(response)) == (400, "invalid_request")
            response = client.post(f"{path}?refresh_token=x", "a=b", content_type=FORM)
            assert (response.status_code, error_in(response)) == (400, "invalid_request")
            assert client.post(path, {"a": "b"}).status_code == 400
            assert client.post(path, "a=" + "b" * 20_000, content_type=FORM).status_code == 413
            assert client.post(path, "%zz=%ff&&=", content_type=FORM).status_code in {400, 401}


@pytest.mark.django_db
def test_requests_per_ip_address_are_limited(client: Client, settings: Settings) -> None:
    limits = settings.ACCOUNT_RATE_LIMITS
    assert limits["ask_token"] == "300/m/ip"
    settings.ACCOUNT_RATE_LIMITS = {**limits, "ask_token": "5/m/ip"}
    statuses = [
        client.post("/api/oauth/token", "a=b", content_type=FORM).status_code for _ in range(5)
    ]
    assert statuses == [400] * 5
    assert client.post(REVOKE, "a=b", content_type=FORM).status_code == 429


def test_a_registered_client_gets_tokens_that_act_for_the_person(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    page = flow.ask()
    assert page.status_code == 200
    assert "Test client" in page.content.decode()
    parameters = response_parameters(flow.decide(personas.bob))
    assert parameters["state"] == "a state"
    assert parameters["iss"] == issuer()
    response = flow.exchange(parameters["code"])
    tokens = json.loads(response.content)
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert tokens["scope"] == "read write"
    assert tokens["access_token"].startswith("vr_access_")
    assert tokens["refresh_token"].startswith("vr_refresh_")
    assert response["Cache-Control"] == "no-store"

    caller = caller_of_bearer(tokens["access_token"])
    grant = Grant.objects.get()
    assert (caller.kind, caller.id, caller.channel) == ("user", personas.bob.user.id, "mcp")
    assert (caller.client, caller.client_id) == ("Test client", flow.client_id)
    assert (caller.grant_id, caller.withheld) == (grant.id, frozenset())
    assert caller.permissions == {
        "repos:view",
        "builds:view",
        "builds:review",
        "recordings:view",
    }
    entry = AuditEntry.objects.get(verb="app.connected")
    assert (entry.actor_id, entry.target_id) == (personas.bob.user.id, grant.id)


def test_an_anonymous_person_signs_in_first(client: Client, personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    redirect = client.get(flow.url())
    assert redirect.status_code == 302
    back = client.post(
        redirect["Location"], {"login": personas.bob.user.email, "password": PASSWORD}
    )
    assert back["Location"] == flow.url()
    assert client.get(back["Location"]).status_code == 200
