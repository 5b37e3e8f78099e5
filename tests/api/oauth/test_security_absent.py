"""Security cases of unsupported features: codes with consent are the only grant."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from tests.support.case import Case
from tests.support.oauth.assertions import (
    FORM,
    assert_error_for_client,
    assert_nothing_granted,
    assert_token_error,
    flow_of,
)
from tests.support.oauth.flow import post_token
from tests.support.pages import signed_in
from tests.support.personas import PASSWORD, Personas

SERVER = "/.well-known/oauth-authorization-server"
PREFIXES = ("/o/", "/oauth/", "/oauth2/", "/api/oauth/", "/api/")
ABSENT = [
    ("introspection (RFC 7662)", ["introspect", "introspection"]),
    ("the device flow (RFC 8628)", ["device", "device_authorization", "device-confirm"]),
    ("pushed requests (RFC 9126)", ["par"]),
    ("backchannel requests (CIBA)", ["bc-authorize", "ciba"]),
    ("management of clients", ["applications", "applications/register", "applications/1/update"]),
    ("management of tokens", ["authorized_tokens", "authorized_tokens/1/delete"]),
    ("management of a registration (RFC 7592)", ["register/client_x", "clients/client_x"]),
    ("identity", ["userinfo", ".well-known/jwks.json", "jwks", "logout", "certs"]),
    ("sessions of identity", ["check_session", "end_session"]),
    ("tokens by URL", ["token_info", "tokeninfo", "revoke_token"]),
    ("authorization below /api", ["authorize"]),
    ("consent without the page", ["consent", "approve", "decide"]),
]


def test_endpoints_that_do_not_exist(personas: Personas, case: Case) -> None:
    anonymous, owner = Client(), signed_in(personas.alice)
    for kind, names in ABSENT:
        with case(kind):
            paths = {prefix + name for prefix in PREFIXES for name in names}
            for path in paths - {"/oauth/authorize"}:
                assert anonymous.get(path).status_code == 404, path
                # No view exists, so none for any person or method.
                for spelling in (path, path + "/"):
                    with pytest.raises(Resolver404):
                        resolve(spelling)
            for name in names:
                for browser in (anonymous, owner):
                    path = f"/api/oauth/{name}/"
                    assert browser.get(path).status_code == 404, path
                    assert browser.post(path, "a=b", FORM).status_code == 404, path


@pytest.mark.usefixtures("db")
def test_documents_of_another_protocol_or_issuer_do_not_exist(case: Case) -> None:
    for path in (
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/",
        "/.well-known/jwks.json",
        "/.well-known/webfinger",
        "/.well-known/oauth-authorization-server/",
        "/.well-known/oauth-authorization-server/api/mcp",
        "/.well-known/oauth-protected-resource/",
        "/.well-known/oauth-protected-resource/evil",
        "/.well-known/change-password",
        "/api/mcp/.well-known/oauth-protected-resource",
        "/oauth/.well-known/oauth-authorization-server",
    ):
        with case(path):
            assert Client().get(path).status_code == 404


GRANTS: list[tuple[str, dict[str, Any]]] = [
    ("password (OAuth 2.1, 10.1)", {"grant_type": "password"}),
    ("client credentials (RFC 6749, 4.4)", {"grant_type": "client_credentials"}),
    ("implicit", {"grant_type": "implicit"}),
    ("device", {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "x"}),
    ("an assertion (RFC 7523)", {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}),
    ("an assertion (RFC 7522)", {"grant_type": "urn:ietf:params:oauth:grant-type:saml2-bearer"}),
    (
        "token exchange (RFC 8693)",
        {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange"},
    ),
    ("a backchannel request", {"grant_type": "urn:openid:params:grant-type:ciba"}),
    ("capitals", {"grant_type": "AUTHORIZATION_CODE"}),
    ("two in one", {"grant_type": "authorization_code password"}),
    ("nothing", {"grant_type": ""}),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_no_other_grant(personas: Personas, case: Case) -> None:
    """RFC 6749, 5.2: ``unsupported_grant_type``, also with all parameters of the other grant."""
    flow = flow_of(personas.alice)
    more = {
        "client_id": flow.client_id,
        "client_secret": "",
        "username": personas.alice.user.email,
        "password": PASSWORD,
        "assertion": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.",
        "subject_token": "x",
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
        "scope": "read write",
    }
    for name, form in GRANTS:
        with case(name):
            assert_token_error(post_token({**more, **form}), "unsupported_grant_type")
            assert_nothing_granted()


RESPONSE_TYPES = [
    ("token", "unsupported_response_type"),
    ("id_token", "unsupported_response_type"),
    ("none", "unauthorized_client"),
    ("code token", "unauthorized_client"),
    ("code id_token", "unauthorized_client"),
    ("code id_token token", "unauthorized_client"),
    ("CODE", "unsupported_response_type"),
    ("code code", "unauthorized_client"),
    ("", "invalid_request"),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_no_other_response_type(personas: Personas, case: Case) -> None:
    """RFC 9700, 2.1.2: no token ever comes from the authorization endpoint."""
    flow = flow_of(personas.bob)
    for response_type, error in RESPONSE_TYPES:
        with case(f"response_type={response_type}"):
            for response in (
                flow.ask(response_type=response_type, nonce="x"),
                flow.decide(personas.bob, response_type=response_type, nonce="x"),
            ):
                assert_error_for_client(response, error)
                assert "vr_access_" not in response.content.decode()


def test_codes_are_never_in_a_fragment_or_a_form(personas: Personas, case: Case) -> None:
    """RFC 9700, 4.3: scripts and other pages could read codes there."""
    flow = flow_of(personas.bob)
    for mode in ("fragment", "form_post", "web_message", "query.jwt"):
        with case(mode):
            page = flow.decide(personas.bob, response_mode=mode).content.decode()
            assert "#code" not in page
            assert 'name="code"' not in page
            assert "<script" not in page.partition("</head>")[2]


@pytest.mark.usefixtures("db")
def test_the_metadata_lists_none_of_it() -> None:
    found = json.loads(Client().get(SERVER).content)
    assert found["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert found["response_types_supported"] == ["code"]
    assert found["code_challenge_methods_supported"] == ["S256"]
    for name in (
        "introspection_endpoint",
        "device_authorization_endpoint",
        "pushed_authorization_request_endpoint",
        "userinfo_endpoint",
        "jwks_uri",
        "end_session_endpoint",
    ):
        assert name not in found


@pytest.mark.usefixtures("db")
def test_endpoints_accept_only_post(case: Case) -> None:
    """RFC 6749, 3.2; a URL with a token would be logged."""
    client = Client()
    for name in ("token", "revoke", "register"):
        with case(name):
            for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
                response = client.generic(method, f"/api/oauth/{name}?token=x")
                assert response.status_code == 405
                assert response["Allow"] == "POST"
            # Pages of other sites may call the endpoint, without cookies.
            foreign = {"Origin": "https://evil.example"}
            preflight = client.options(f"/api/oauth/{name}", headers=foreign)
            assert preflight["Access-Control-Allow-Origin"] == "*"
            assert "Access-Control-Allow-Credentials" not in preflight
            assert not preflight.cookies


def test_scripts_of_other_sites_cannot_read_the_authorization_page(personas: Personas) -> None:
    """RFC 9700, 2.6: no page of another site can read the question or the response."""
    flow = flow_of(personas.bob)
    for response in (flow.ask(), flow.decide(personas.bob), flow.ask(scope="x")):
        assert not [name for name in response.headers if name.lower().startswith("access-control")]
    asked = flow.browser.options(flow.url(), headers={"Origin": "https://evil.example"})
    assert asked.status_code == 405
    assert "Access-Control-Allow-Origin" not in asked
