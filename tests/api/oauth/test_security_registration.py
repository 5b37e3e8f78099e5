"""Security cases of registration: floods, hostile names, clients that are more than public."""

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from oauth2_provider.models import Application

from tests.support.case import Case
from tests.support.oauth.assertions import (
    assert_nothing_registered,
    assert_token_error,
    document_in,
)
from tests.support.oauth.flow import REDIRECT, Flow, register
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.models import Grant
from visual_review.accounts.oauth.client_rules import NAME_LENGTH, UNNAMED
from visual_review.audit.models import AuditEntry

REGISTER = "/api/oauth/register"
pytestmark = pytest.mark.django_db


def post(body: str | bytes, kind: str = "application/json", **headers: str) -> HttpResponse:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    data = body.encode() if isinstance(body, str) else body
    return client.generic("POST", REGISTER, data, kind, headers=headers)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("implicit (RFC 9700, 2.1.2)", {"grant_types": ["implicit"]}, "invalid_client_metadata"),
    ("password (RFC 9700, 2.4)", {"grant_types": ["password"]}, "invalid_client_metadata"),
    ("machine", {"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
    (
        "device",
        {"grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]},
        "invalid_client_metadata",
    ),
    ("refresh without a beginning", {"grant_types": ["refresh_token"]}, "invalid_client_metadata"),
    ("no grant type", {"grant_types": []}, "invalid_client_metadata"),
    (
        "a grant type that is a text",
        {"grant_types": "authorization_code"},
        "invalid_client_metadata",
    ),
    ("a grant type that is an object", {"grant_types": {}}, "invalid_client_metadata"),
    ("a token as response", {"response_types": ["token"]}, "invalid_client_metadata"),
    ("both in one response", {"response_types": ["code token"]}, "invalid_client_metadata"),
    ("an identity as response", {"response_types": ["id_token"]}, "invalid_client_metadata"),
    ("no response type", {"response_types": []}, "invalid_client_metadata"),
    (
        "a signed assertion",
        {"token_endpoint_auth_method": "private_key_jwt"},
        "invalid_client_metadata",
    ),
    (
        "a shared assertion",
        {"token_endpoint_auth_method": "client_secret_jwt"},
        "invalid_client_metadata",
    ),
    ("a certificate", {"token_endpoint_auth_method": "tls_client_auth"}, "invalid_client_metadata"),
    ("an empty method", {"token_endpoint_auth_method": ""}, "invalid_client_metadata"),
    ("no method at all", {"token_endpoint_auth_method": None}, "invalid_client_metadata"),
    (
        "a method that is a list",
        {"token_endpoint_auth_method": ["none"]},
        "invalid_client_metadata",
    ),
    (
        "redirects that are a text (RFC 7591, 2)",
        {"redirect_uris": REDIRECT},
        "invalid_redirect_uri",
    ),
    ("redirects that are an object", {"redirect_uris": {REDIRECT: 1}}, "invalid_redirect_uri"),
    ("no redirects", {"redirect_uris": []}, "invalid_redirect_uri"),
    ("a list in a list", {"redirect_uris": [[REDIRECT]]}, "invalid_redirect_uri"),
    (
        "two in one text",
        {"redirect_uris": [f"{REDIRECT} https://x.example/"]},
        "invalid_redirect_uri",
    ),
    ("too many", {"redirect_uris": [REDIRECT] * 21}, "invalid_redirect_uri"),
    ("half a surrogate in a name", {"client_name": "\ud800"}, "invalid_client_metadata"),
    ("a zero byte in a redirect", {"redirect_uris": [REDIRECT + "\0"]}, "invalid_client_metadata"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_rejected_metadata_registers_nothing(case: Case) -> None:
    """RFC 7591, 3.2.2."""
    for name, changes, error in REFUSED:
        with case(name):
            assert_token_error(register(**changes), error)
            assert_nothing_registered()
            assert not AuditEntry.objects.exists()


BODIES = [
    ("nothing", b" ", 400),
    ("a list", b"[]", 400),
    ("a number", b"7", 400),
    ("half of it", b'{"redirect_uris": [', 400),
    ("a name twice", b'{"redirect_uris": ["%s"], "redirect_uris": []}' % REDIRECT.encode(), 400),
    ("no text", b'{"client_name": "\xff"}', 400),
    ("a number too long", b'{"x": ' + b"9" * 5000 + b"}", 400),
    ("no number", b'{"x": NaN}', 400),
    ("very deep", b'{"x": ' + b"[" * 8000, 400),
    ("a body of 17 KB", b'{"x": "' + b"x" * 17_000 + b'"}', 413),
    ("a body of 5 MB", b'{"x": "' + b"x" * 5_000_000 + b'"}', 413),
]


def test_invalid_bodies(case: Case) -> None:
    for name, body, status in BODIES:
        with case(name):
            response = post(body)
            assert response.status_code == status
            assert "Traceback" not in response.content.decode()
            assert_nothing_registered()


def test_content_types_of_cross_site_forms_are_rejected(case: Case) -> None:
    """Pages of other sites may send these types without preflight; the endpoint accepts none."""
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "text/html",
        "",
    ):
        with case(f"Content-Type: {kind}"):
            response = post(json.dumps({"redirect_uris": [REDIRECT]}), kind)
            assert response.status_code == 415
            assert_nothing_registered()


MORE_THAN_PUBLIC: list[tuple[str, dict[str, Any]]] = [
    ("a secret of its own", {"client_secret": "known", "client_secret_expires_at": 0}),
    ("an id of its own", {"client_id": "client_known", "client_id_issued_at": 1}),
    ("a secret by the usual method", {"token_endpoint_auth_method": "client_secret_basic"}),
    ("no questions to the person", {"skip_authorization": True, "prompt": "none"}),
    ("another user's client", {"user": 1, "user_id": 1, "owner": "alice@example.com"}),
    ("as if described by a document", {"registration_source": "cimd"}),
    ("as if put there by hand", {"registration_source": "manual", "client_type": "confidential"}),
    ("all grants", {"grant_types": ["authorization_code", "implicit", "password"]}),
    ("all responses", {"response_types": ["code", "token", "code id_token token"]}),
    ("signed tokens", {"algorithm": "HS256", "id_token_signed_response_alg": "none"}),
    ("keys that would be fetched", {"jwks_uri": "http://169.254.169.254/latest/meta-data/"}),
    ("origins of its own", {"allowed_origins": "https://evil.example"}),
    ("redirects after signing out", {"post_logout_redirect_uris": ["https://evil.example/"]}),
    ("a redirect by another name", {"redirect_uri": "https://evil.example/"}),
    ("a scope of its own", {"scope": "admin read write"}),
    ("a statement that vouches for it", {"software_statement": "eyJhbGciOiJub25lIn0.e30."}),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_no_metadata_creates_more_than_a_public_client(
    monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    def reached(*_: object, **__: object) -> None:
        pytest.fail("A connection was opened.")

    monkeypatch.setattr("socket.getaddrinfo", reached)
    for name, metadata in MORE_THAN_PUBLIC:
        with case(name):
            response = register(**metadata)
            assert response.status_code == 201
            assert_public(document_in(response), Application.objects.get())


def assert_public(document: dict[str, Any], client: Application) -> None:
    assert document.keys() == {
        "client_id",
        "client_id_issued_at",
        "client_name",
        "redirect_uris",
        "grant_types",
        "response_types",
        "token_endpoint_auth_method",
    }
    assert document["redirect_uris"] == [REDIRECT]
    assert document["grant_types"] == ["authorization_code", "refresh_token"]
    assert document["token_endpoint_auth_method"] == "none"
    assert client.client_id.startswith("client_")
    assert client.client_id != "client_known"
    assert (client.client_type, client.authorization_grant_type) == ("public", "authorization-code")
    assert (client.client_secret, client.user, client.algorithm) == ("", None, "")
    assert (client.registration_source, client.skip_authorization) == ("dcr", False)
    assert (client.allowed_origins, client.post_logout_redirect_uris) == ("", "")


NAMES: list[tuple[str, object, str]] = [
    ("turned round (bidirectional override)", "Claude\u202egpj.exe", "Claude gpj.exe"),
    ("isolated and turned round", "\u2067evil\u2069 app", "evil app"),
    ("invisible letters", "Cl\u200ba\u200cu\u200dd\ufeffe", "Cl a u d e"),
    ("line breaks", "App\r\n\u2028\u2029\x85you know", "App you know"),
    ("control characters", "\x1b[31mApp\x07\x7f\x9b", "[31mApp"),
    ("invisible tags", "App\U000e0041\U000e0042", "App"),
    ("blanks alone", " \u00a0\u2003\u3000", UNNAMED),
    ("a letter without a shape", "\u3164", UNNAMED),
    ("letters without a shape", "\u115f\u1160\uffa0\u2800", UNNAMED),
    ("a gap that hides the rest", "App\u2800\u2800\u2800 of the bank", "App of the bank"),
    ("very long", "n" * 5000, "n" * (NAME_LENGTH - 1) + "\u2026"),
    ("marks that grow out of their line", "A" + "\u0301" * 70, "A" + "\u0301" * 3),
    ("a number", 7, UNNAMED),
    ("a list", ["Claude"], UNNAMED),
    ("an object", {"toString": "Claude"}, UNNAMED),
    ("nothing", None, UNNAMED),
    ("a script", "<script>alert(1)</script>", "<script>alert(1)</script>"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_names_are_one_readable_line(case: Case) -> None:
    for title, name, shown in NAMES:
        with case(title):
            response = register(client_name=name)
            assert response.status_code == 201
            # RFC 7591, 3.2.1: the response has the registered values.
            assert document_in(response)["client_name"] == shown
            assert Application.objects.get().name == shown


def test_metadata_is_escaped_on_pages(personas: Personas) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    link = "javascript:alert(1)"
    response = register(
        client_name=hostile,
        logo_uri=link,
        client_uri=link,
        policy_uri="https://evil.example/policy",
        tos_uri="https://evil.example/terms",
        contacts=[hostile],
        software_id=hostile,
        **{"client_name#de": hostile, "logo_uri#de": link},
    )
    flow = Flow(document_in(response)["client_id"], signed_in(personas.bob))
    pages = [flow.ask(), flow.decide(personas.bob), flow.browser.get("/account/apps")]
    pages.append(signed_in(personas.alice).get("/account/apps"))
    pages.append(signed_in(personas.alice).get("/audit"))
    for page in pages:
        assert page.status_code == 200
        text = page.content.decode()
        assert "<img src=x" not in text
        assert "javascript:" not in text
        assert "evil.example" not in text
    for page in pages[:4]:
        assert "&lt;img src=x onerror=alert(1)&gt;" in page.content.decode()


def test_a_flood_is_stopped_and_registers_nothing() -> None:
    """RFC 7591, 5 and RFC 6585, 4."""
    made = [register().status_code for _ in range(20)]
    assert made == [201] * 20
    for _ in range(3):
        refused = register()
        assert_token_error(refused, "temporarily_unavailable", 429)
        assert refused["Retry-After"] == "60"
    # The limit applies to all names of the same machine.
    for header in (
        "X-Forwarded-For",
        "X-Real-IP",
        "Forwarded",
        "CF-Connecting-IP",
        "True-Client-IP",
    ):
        assert post("{}", **{header: "203.0.113.7"}).status_code == 429
    assert Application.objects.count() == 20


def test_a_flood_of_invalid_requests_is_stopped_too() -> None:
    statuses = {register(redirect_uris=[]).status_code for _ in range(20)}
    assert statuses == {400}
    assert register(redirect_uris=[]).status_code == 429
    assert_nothing_registered()


def test_a_client_without_a_grant_has_no_access() -> None:
    """A registration gives no access: the client still needs a person's consent."""
    client_id = document_in(register())["client_id"]
    for form in (
        {"grant_type": "client_credentials"},
        {"grant_type": "password", "username": "alice@example.com", "password": "x"},
        {"grant_type": "refresh_token", "refresh_token": client_id},
        {"grant_type": "authorization_code", "code": client_id, "code_verifier": "v" * 43},
    ):
        response = Client().post("/api/oauth/token", {**form, "client_id": client_id})
        assert response.status_code == 400
    assert not Grant.objects.exists()
