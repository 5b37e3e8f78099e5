"""What other servers have and this one must not: no way in but a code with a person's consent."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.doors.oauth.attacks import (
    FORM,
    assert_nothing_given,
    assert_refused,
    assert_told_client,
    flow_of,
    lines,
)
from tests.doors.oauth.flow import Flow, post_token
from tests.doors.pages import signed_in
from tests.personas import PASSWORD, Personas

SERVER = "/.well-known/oauth-authorization-server"
PREFIXES = ("/o/", "/oauth/", "/oauth2/", "/api/oauth/", "/api/")
ABSENT = [
    ("introspection (RFC 7662)", ["introspect", "introspection"]),
    ("the device flow (RFC 8628)", ["device", "device_authorization", "device-confirm"]),
    ("pushed requests (RFC 9126)", ["par"]),
    ("requests from the back (CIBA)", ["bc-authorize", "ciba"]),
    ("management of clients", ["applications", "applications/register", "applications/1/update"]),
    ("management of tokens", ["authorized_tokens", "authorized_tokens/1/delete"]),
    ("management of a registration (RFC 7592)", ["register/client_x", "clients/client_x"]),
    ("identity", ["userinfo", ".well-known/jwks.json", "jwks", "logout", "certs"]),
    ("sessions of identity", ["check_session", "end_session"]),
    ("tokens by an address", ["token_info", "tokeninfo", "revoke_token"]),
    ("authorization below the interface", ["authorize"]),
    ("consent without the page", ["consent", "approve", "decide"]),
]


@pytest.mark.parametrize("names", lines(ABSENT))
@pytest.mark.usefixtures("db")
def test_nothing_is_served(personas: Personas, names: list[str]) -> None:
    browsers = (Client(), signed_in(personas.alice))
    for prefix in PREFIXES:
        for name in names:
            address = prefix + name
            if address == "/oauth/authorize":
                continue
            for browser in browsers:
                for path in (address, address + "/"):
                    assert browser.get(path).status_code == 404, path
                    assert browser.post(path, "a=b", FORM).status_code == 404, path


@pytest.mark.parametrize(
    "address",
    [
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
    ],
)
@pytest.mark.usefixtures("db")
def test_no_document_of_another_protocol_or_issuer(address: str) -> None:
    assert Client().get(address).status_code == 404


GRANTS: list[tuple[str, dict[str, Any]]] = [
    ("password (OAuth 2.1, 10.1)", {"grant_type": "password"}),
    ("a machine's own (RFC 6749, 4.4)", {"grant_type": "client_credentials"}),
    ("implicit", {"grant_type": "implicit"}),
    ("device", {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "x"}),
    ("an assertion (RFC 7523)", {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}),
    ("an assertion (RFC 7522)", {"grant_type": "urn:ietf:params:oauth:grant-type:saml2-bearer"}),
    ("an exchange (RFC 8693)", {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange"}),
    ("a request from the back", {"grant_type": "urn:openid:params:grant-type:ciba"}),
    ("capitals", {"grant_type": "AUTHORIZATION_CODE"}),
    ("two in one", {"grant_type": "authorization_code password"}),
    ("nothing", {"grant_type": ""}),
]


@pytest.mark.parametrize("form", lines(GRANTS))
def test_no_other_grant(personas: Personas, form: dict[str, Any]) -> None:
    """RFC 6749, 5.2: ``unsupported_grant_type``, also with all that such a grant would need."""
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
    assert_refused(post_token({**more, **form}), "unsupported_grant_type")
    assert_nothing_given()


@pytest.mark.parametrize(
    ("response_type", "error"),
    [
        ("token", "unsupported_response_type"),
        ("id_token", "unsupported_response_type"),
        ("none", None),
        ("code token", None),
        ("code id_token", None),
        ("code id_token token", None),
        ("CODE", "unsupported_response_type"),
        ("code code", None),
        ("", "invalid_request"),
    ],
)
def test_no_other_response(personas: Personas, response_type: str, error: str | None) -> None:
    """RFC 9700, 2.1.2: no token ever comes from the authorization address."""
    flow = flow_of(personas.bob)
    for response in (
        flow.ask(response_type=response_type, nonce="x"),
        flow.decide(personas.bob, response_type=response_type, nonce="x"),
    ):
        told = error or "unauthorized_client"
        assert_told_client(response, told)
        assert "vr_access_" not in response.content.decode()


def test_codes_are_never_in_a_fragment_or_a_form(personas: Personas) -> None:
    """RFC 9700, 4.3: where scripts and other pages would find them."""
    for mode in ("fragment", "form_post", "web_message", "query.jwt"):
        flow: Flow = flow_of(personas.bob)
        page = flow.decide(personas.bob, response_mode=mode).content.decode()
        assert "#code" not in page
        assert 'name="code"' not in page
        assert "<script" not in page.partition("</head>")[2]


@pytest.mark.usefixtures("db")
def test_the_documents_promise_none_of_it() -> None:
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


@pytest.mark.parametrize("address", ["token", "revoke", "register"])
@pytest.mark.usefixtures("db")
def test_doors_answer_posts_alone(address: str) -> None:
    """RFC 6749, 3.2; an address with a token in it would stand in logs."""
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
        response = Client().generic(method, f"/api/oauth/{address}?token=x")
        assert response.status_code == 405
        assert response["Allow"] == "POST"
    # Pages of others may call it, and no cookie goes with them.
    told = Client().options(f"/api/oauth/{address}", headers={"Origin": "https://evil.example"})
    assert told["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in told
    assert not told.cookies


def test_the_authorization_address_is_for_no_program_of_others(personas: Personas) -> None:
    """RFC 9700, 2.6: no page of another site reads the question or the answer."""
    flow = flow_of(personas.bob)
    for response in (flow.ask(), flow.decide(personas.bob), flow.ask(scope="x")):
        assert not [name for name in response.headers if name.lower().startswith("access-control")]
    asked = flow.browser.options(flow.address(), headers={"Origin": "https://evil.example"})
    assert asked.status_code == 405
    assert "Access-Control-Allow-Origin" not in asked
