"""Security cases of codes: stolen, reused, expired, or without a valid verifier."""

import base64
import hashlib
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client

from tests.support.case import Case
from tests.support.database import current_personas
from tests.support.depth import rounds
from tests.support.mcp.endpoint import Endpoint
from tests.support.oauth.assertions import (
    FORM,
    assert_error_for_client,
    assert_nothing_granted,
    assert_token_error,
    assert_unauthorized,
    client_with,
    document_in,
    flow_of,
    status_of,
    substitute,
)
from tests.support.oauth.flow import Flow, Value
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.threads import Racers
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import AccessToken, Membership, RefreshToken, TokenFamily, User
from visual_review.accounts.secrets import digest
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError

EMPTY = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob)


def s256(verifier: str) -> str:
    found = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


CHALLENGES: list[tuple[str, dict[str, Value]]] = [
    ("none (OAuth 2.1, 4.1.1)", {"code_challenge": None, "code_challenge_method": None}),
    ("a method without challenge", {"code_challenge": None}),
    ("an empty one", {"code_challenge": ""}),
    ("no method, which would mean plain (RFC 7636, 4.3)", {"code_challenge_method": None}),
    ("plain (RFC 9700, 2.1.1)", {"code_challenge_method": "plain"}),
    ("plain, with the verifier itself", {"code_challenge_method": "plain", "code_challenge": "v"}),
    ("an empty method", {"code_challenge_method": ""}),
    ("a method in lower case", {"code_challenge_method": "s256"}),
    ("a method with a space", {"code_challenge_method": "S256 "}),
    ("an unknown method", {"code_challenge_method": "S512"}),
    ("both methods (RFC 6749, 3.1)", {"code_challenge_method": ["S256", "plain"]}),
    ("both methods, reversed", {"code_challenge_method": ["plain", "S256"]}),
    ("two challenges (RFC 6749, 3.1)", {"code_challenge": ["a" * 43, "b" * 43]}),
    ("a letter too few (RFC 7636, 4.2)", {"code_challenge": "a" * 42}),
    ("a letter too many", {"code_challenge": "a" * 44}),
    ("padding", {"code_challenge": "a" * 43 + "="}),
    ("base64 that is not URL-safe", {"code_challenge": "+" + "a" * 42}),
    ("a trailing line break", {"code_challenge": "a" * 43 + "\n"}),
    ("a leading space", {"code_challenge": " " + "a" * 42}),
    ("letters of another alphabet", {"code_challenge": "\u0430" * 43}),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_requests_without_a_valid_code_challenge(
    flow: Flow, personas: Personas, case: Case
) -> None:
    for name, changes in CHALLENGES:
        with case(name):
            assert_error_for_client(flow.ask(**changes), "invalid_request")
            # A form submitted without the page changes nothing, even if it allows access.
            assert_error_for_client(flow.decide(personas.bob, **changes), "invalid_request")


EXCHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("no verifier, a downgrade (RFC 9700, 2.1.1)", {"code_verifier": None}, "invalid_request"),
    ("an empty verifier", {"code_verifier": ""}, "invalid_request"),
    ("another verifier (RFC 7636, 4.6)", {"code_verifier": "w" * 64}, "invalid_grant"),
    ("the challenge as verifier", {"code_verifier": "CHALLENGE"}, "invalid_grant"),
    ("a trailing space in the verifier", {"code_verifier": "VERIFIER "}, "invalid_grant"),
    ("the verifier in upper case", {"code_verifier": "CAPITALS"}, "invalid_grant"),
    ("two verifiers (RFC 6749, 3.2)", {"code_verifier": ["w" * 64, "v" * 64]}, "invalid_request"),
    ("the code twice (RFC 6749, 3.2)", {"code": ["CODE", "CODE"]}, "invalid_request"),
    ("no code", {"code": None}, "invalid_request"),
    ("an unknown code", {"code": "x" * 30}, "invalid_grant"),
    ("a trailing space in the code", {"code": "CODE "}, "invalid_grant"),
    ("a trailing zero byte in the code", {"code": "CODE\0"}, "invalid_grant"),
    ("the code's digest, as it is stored", {"code": "DIGEST"}, "invalid_grant"),
    ("all codes", {"code": "%"}, "invalid_grant"),
    ("the code as a refresh token", {"grant_type": "refresh_token"}, "invalid_request"),
    (
        "the code as a refresh token, named so",
        {"grant_type": "refresh_token", "refresh_token": "CODE"},
        "invalid_grant",
    ),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_invalid_exchanges(flow: Flow, personas: Personas, case: Case) -> None:
    code = flow.code(personas.bob)
    values = {
        "CODE": code,
        "DIGEST": digest(code),
        "VERIFIER": flow.verifier,
        "CHALLENGE": flow.challenge,
        "CAPITALS": flow.verifier.upper(),
    }
    for name, changes, error in EXCHANGES:
        with case(name):
            form = {key: substitute(value, values) for key, value in changes.items()}
            assert_token_error(flow.exchange(**{"code": code, **form}), error)
            assert not AccessToken.objects.exists()
            assert not RefreshToken.objects.exists()


WEAK_VERIFIERS = [
    ("nothing (the digest of the empty string)", "", "invalid_request"),
    ("one letter (RFC 7636, 4.1)", "a", "invalid_grant"),
    ("a letter too short", "a" * 42, "invalid_grant"),
    ("a letter too long", "a" * 129, "invalid_grant"),
    ("a letter of another alphabet", "a" * 50 + "\u00e9", "invalid_grant"),
    ("a blank", "a" * 50 + " ", "invalid_grant"),
    ("a plus", "a" * 50 + "+", "invalid_grant"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_verifiers_that_could_be_guessed(flow: Flow, personas: Personas, case: Case) -> None:
    assert s256("") == EMPTY
    for name, verifier, error in WEAK_VERIFIERS:
        with case(name):
            weak = replace(flow, verifier=verifier)
            assert_token_error(weak.exchange(weak.code(personas.bob)), error)
            assert not AccessToken.objects.exists()


def test_verifiers_of_minimum_and_maximum_length_are_accepted(
    flow: Flow, personas: Personas
) -> None:
    for verifier in ("a" * 43, "a.b_c~d-" * 16):
        flow.verifier = verifier
        assert flow.exchange(flow.code(personas.bob)).status_code == 200


def test_a_stolen_code_is_useless_to_another_client(flow: Flow, personas: Personas) -> None:
    """RFC 6749, 4.1.3: bound to the client; the attacker knows everything but the client ID."""
    code = flow.code(personas.bob)
    assert_token_error(flow.exchange(code, client_id=client_with()), "invalid_grant")
    assert_token_error(flow.exchange(code, client_id="client_unknown"), "invalid_client", 401)
    assert_token_error(flow.exchange(code, client_id=None), "invalid_client", 401)
    assert_token_error(flow.exchange(code, client_id=[flow.client_id] * 2), "invalid_request")
    assert not AccessToken.objects.exists()


def test_a_code_injected_into_another_sign_in_is_rejected(personas: Personas) -> None:
    """RFC 9700, 4.5: the client of the attacker's browser sends its own verifier."""
    client_id = client_with()
    victim, thief = Flow.of(personas.bob, client_id), Flow.of(personas.mallory, client_id)
    stolen = victim.code(personas.bob)
    assert_token_error(thief.exchange(stolen), "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_code_expires_after_a_minute(flow: Flow, personas: Personas) -> None:
    """RFC 6749, 4.1.2."""
    code = flow.code(personas.bob)
    family = TokenFamily.objects.get()
    family.code_expires_at -= timedelta(seconds=61)
    family.save()
    assert family.code_expires_at < now()
    assert_token_error(flow.exchange(code), "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_reused_code_revokes_its_tokens(
    flow: Flow, personas: Personas, endpoint: Endpoint
) -> None:
    """RFC 6749, 4.1.2 and RFC 9700, 4.5: immediately, refreshed tokens included."""
    code = flow.code(personas.bob)
    first = document_in(flow.exchange(code))
    second = document_in(flow.refresh(first["refresh_token"]))
    for tokens in (first, second):
        assert status_of(endpoint, tokens["access_token"]) == 200
    assert_token_error(flow.exchange(code), "invalid_grant")
    for tokens in (first, second):
        assert_unauthorized(endpoint, tokens["access_token"])
        assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")
    assert AuditEntry.objects.get(verb="app.reuse_detected").after == {"reused": "code"}


REUSE: list[tuple[str, dict[str, Value]]] = [
    ("without a verifier", {"code_verifier": None}),
    ("with another verifier", {"code_verifier": "w" * 64}),
    ("with an invalid verifier", {"code_verifier": "?"}),
    ("with another redirect", {"redirect_uri": "https://evil.example/"}),
]


def test_reuse_without_a_valid_verifier_revokes_them_too(
    flow: Flow, personas: Personas, endpoint: Endpoint, case: Case
) -> None:
    code = flow.code(personas.bob)
    tokens = document_in(flow.exchange(code))
    for name, changes in REUSE:
        with case(name):
            assert flow.exchange(code, **changes).status_code == 400
            assert_unauthorized(endpoint, tokens["access_token"])


def test_a_code_of_a_former_member(flow: Flow, personas: Personas) -> None:
    codes = [flow.code(personas.bob) for _ in range(2)]
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
    assert_token_error(flow.exchange(codes[0]), "invalid_grant")
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=True)
    Membership.objects.filter(user=personas.bob.user).delete()
    assert_token_error(flow.exchange(codes[1]), "invalid_grant")
    assert not AccessToken.objects.exists()


def test_a_role_lowered_between_consent_and_exchange(
    flow: Flow, personas: Personas, endpoint: Endpoint
) -> None:
    code = flow.code(personas.bob)
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    token = document_in(flow.exchange(code))["access_token"]
    assert not caller_of_bearer(token).may("builds:review")
    names = {tool["name"] for tool in endpoint.result(token, "tools/list")["tools"]}
    assert "approve_build" not in names


def test_invalid_forms_get_protocol_errors(personas: Personas) -> None:
    """RFC 6749, 5.2: ``invalid_request``, whatever was sent; never a server error."""
    client = Client(raise_request_exception=False)
    fields = "&".join(f"a{number}=" for number in range(1500))
    for address in ("/api/oauth/token", "/api/oauth/revoke"):
        for kind, body in (
            (FORM, fields),
            (f"{FORM}; charset=utf-16", "a=b"),
            (f"{FORM}; charset=latin-1", "a=b"),
        ):
            assert_token_error(client.generic("POST", address, body, kind), "invalid_request")
        assert_token_error(client.post(f"{address}?{fields}", "", FORM), "invalid_request")
        assert_token_error(client.generic("POST", address, "a=b", ""), "invalid_request")
    too_many = signed_in(personas.bob).get(f"/oauth/authorize?{fields}")
    assert too_many.status_code == 400
    assert_nothing_granted()


@pytest.mark.search
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("without_rate_limits")
def test_simultaneous_exchanges_revoke_the_tokens(four_threads: Racers) -> None:
    """RFC 6749, 10.5: single use, also for simultaneous requests."""
    bob = current_personas().bob
    flow = Flow(client_with(), signed_in(bob))
    for _ in range(rounds(ordinary=3, deep=10)):
        code = flow.code(bob)
        answers = four_threads.race(*[partial(flow.exchange, code)] * 4)
        assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
        won = next(answer for answer in answers if answer.status_code == 200)
        assert TokenFamily.objects.get(code_hash=digest(code)).ended_at is not None
        with pytest.raises(UnauthenticatedError):
            caller_of_bearer(document_in(won)["access_token"])
