"""Security cases of consent: given by another page, for someone else, or for more."""

import re
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from oauth2_provider.models import Application

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.oauth.assertions import (
    assert_error_for_client,
    assert_nothing_granted,
    client_with,
    document_in,
    flow_of,
)
from tests.support.oauth.flow import REDIRECT, Flow, continue_link, response_parameters
from tests.support.pages import signed_in
from tests.support.personas import PASSWORD, Persona, Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import Grant, Membership, TokenFamily, User
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
EVIL = "https://evil.example"


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob)


def csrf_checked_browser(persona: Persona) -> Client:
    """A browser with the service's check of forms."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(persona.user)
    return client


def form_token(response: HttpResponse) -> str:
    found = TOKEN.search(response.content.decode())
    assert found
    return found[1]


def consent_form(persona: Persona, **changes: str) -> dict[str, str]:
    form = {"organization": persona.organization.id, "access": "changes", "decision": "allow"}
    return {**form, **changes}


def assert_not_framed(response: HttpResponse) -> None:
    policy = response["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in response


def test_no_page_on_the_way_can_be_framed(flow: Flow, personas: Personas) -> None:
    """RFC 9700, 4.16: neither the consent page, nor its responses, nor the page of apps."""
    pages = [
        Client().get(flow.url()),
        flow.ask(),
        flow.ask(redirect_uri=EVIL),
        flow.ask(scope="nonsense"),
        flow.ask(prompt="none"),
        flow.decide(personas.bob, "nonsense"),
        flow.decide(personas.bob, decision="refuse"),
        flow.decide(personas.bob),
        flow.browser.get("/account/apps"),
        flow.browser.get("/account/apps/connect"),
        Client().get("/sign-in"),
    ]
    for page in pages:
        assert_not_framed(page)
    for page in pages[:8]:
        assert "no-store" in page["Cache-Control"]
        assert page["Referrer-Policy"] == "strict-origin"


FORGERIES: list[tuple[str, dict[str, str], bool]] = [
    ("no token of the form (RFC 6749, 10.12)", {}, False),
    ("no token, from our own address", {"Origin": "http://testserver"}, False),
    ("the page of another site", {"Origin": EVIL}, True),
    ("a page without origin, in a frame for example", {"Origin": "null"}, True),
    ("our name under another scheme", {"Origin": "https://testserver"}, True),
    ("our name at another port", {"Origin": "http://testserver:81"}, True),
    ("our name as a beginning", {"Origin": "http://testserver.evil.example"}, True),
    ("a token in a header that others may send", {"X-CSRFToken": "x" * 64}, False),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_decisions_made_by_another_page(flow: Flow, personas: Personas, case: Case) -> None:
    browser = csrf_checked_browser(personas.bob)
    token = form_token(browser.get(flow.url()))
    for (name, headers, with_token), decision in product(FORGERIES, ("allow", "refuse")):
        with case(f"{name}, {decision}"):
            form = consent_form(personas.bob, decision=decision)
            if with_token:
                form["csrfmiddlewaretoken"] = token
            response = browser.post(flow.url(), form, headers=headers)
            assert response.status_code == 403
            assert 'id="continue"' not in response.content.decode()
            assert_nothing_granted()
            assert not AuditEntry.objects.exists()
    # In the person's own page the token is valid.
    own = consent_form(personas.bob, csrfmiddlewaretoken=token)
    assert browser.post(flow.url(), own).status_code == 200


def test_forms_with_an_invented_token(flow: Flow, personas: Personas, case: Case) -> None:
    browser = csrf_checked_browser(personas.bob)
    browser.get(flow.url())
    for token in ("", "x", "x" * 64, "x" * 32):
        with case(f"token {token!r}"):
            form = consent_form(personas.bob, csrfmiddlewaretoken=token)
            assert browser.post(flow.url(), form).status_code == 403
            assert_nothing_granted()


def test_a_form_with_the_attackers_token(flow: Flow, personas: Personas) -> None:
    """RFC 9700, 4.7: a token is valid only in the browser of its issue."""
    attacker = csrf_checked_browser(personas.mallory)
    token = form_token(attacker.get(flow.url()))
    victim = csrf_checked_browser(personas.bob)
    victim.get(flow.url())
    response = victim.post(flow.url(), consent_form(personas.bob, csrfmiddlewaretoken=token))
    assert response.status_code == 403
    assert_nothing_granted()


def _sign_in_by_form(browser: Client, persona: Persona) -> None:
    token = form_token(browser.get("/sign-in"))
    form = {"login": persona.user.email, "password": PASSWORD, "csrfmiddlewaretoken": token}
    assert browser.post("/sign-in", form).status_code == 302


def test_a_page_that_was_opened_by_someone_else(flow: Flow, personas: Personas) -> None:
    """The page was opened by Bob; Carol, signed in later, cannot submit the form."""
    browser = Client(enforce_csrf_checks=True)
    _sign_in_by_form(browser, personas.bob)
    page = browser.get(flow.url())
    token = form_token(page)
    out = browser.post("/sign-out", {"csrfmiddlewaretoken": token})
    assert out.status_code == 302
    _sign_in_by_form(browser, personas.carol)
    form = consent_form(personas.bob, access="read", csrfmiddlewaretoken=token)
    assert browser.post(flow.url(), form).status_code == 403
    assert_nothing_granted()


def test_a_page_whose_person_signed_out_meanwhile(flow: Flow, personas: Personas) -> None:
    flow.ask()
    flow.browser.post("/sign-out")
    for decision in ("allow", "refuse"):
        response = flow.decide(personas.bob, decision=decision)
        assert response.status_code == 302
        assert response["Location"].startswith("/sign-in?next=/oauth/authorize")
    assert_nothing_granted()
    assert not AuditEntry.objects.filter(verb__startswith="app.").exists()


def test_a_former_member(flow: Flow, personas: Personas) -> None:
    flow.ask()
    Membership.objects.filter(user=personas.bob.user).delete()
    assert flow.decide(personas.bob).status_code == 403
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
    assert flow.decide(personas.bob).status_code in {302, 403}
    assert_nothing_granted()


def test_opening_a_url_never_grants(flow: Flow, personas: Personas) -> None:
    """RFC 9110, 9.2.1: whatever the URL contains."""
    form = consent_form(personas.bob)
    for _ in range(2):
        page = flow.browser.get(flow.url(**form))
        assert page.status_code == 200
        assert 'id="continue"' not in page.content.decode()
    flow.browser.head(flow.url(**form))
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        response = flow.browser.generic(method, flow.url(**form))
        assert response.status_code == 405
    assert_nothing_granted()


def test_a_request_in_the_form_instead_of_the_url(flow: Flow, personas: Personas) -> None:
    response = flow.browser.post(
        "/oauth/authorize", {**flow.parameters(), **consent_form(personas.bob)}
    )
    assert response.status_code == 400
    assert_nothing_granted()


def test_decisions_for_another_organization(flow: Flow, personas: Personas, case: Case) -> None:
    for decision in ("allow", "refuse"):
        with case(decision):
            form = consent_form(personas.mallory, decision=decision)
            for organization in (
                form["organization"],
                [personas.bob.organization.id, form["organization"]],
            ):
                response = flow.browser.post(flow.url(), {**form, "organization": organization})
                if decision == "allow":
                    assert response.status_code == 400
            assert_nothing_granted()
            # Nor does the request write to the audit log of others.
            foreign = AuditEntry.objects.filter(organization_id=personas.mallory.organization.id)
            assert not foreign.exists()


PARAMETERS_IN_THE_FORM: list[tuple[str, dict[str, Any]]] = [
    ("client", {"client_id": "OTHER"}),
    ("redirect", {"redirect_uri": EVIL}),
    ("scope", {"scope": "read write"}),
    ("scope under our own names", {"granted": "read write", "asked": "read write"}),
    ("challenge", {"code_challenge": "a" * 43, "code_challenge_method": "plain"}),
    ("resource", {"resource": EVIL}),
    ("state", {"state": "of the attacker"}),
    ("person", {"user": "mallory", "user_id": "1", "role": "owner"}),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_parameters_of_the_request_are_not_read_from_the_form(
    flow: Flow, personas: Personas, case: Case
) -> None:
    other = client_with("https://evil.example/cb")
    address = flow.url(scope="read")
    for name, changes in PARAMETERS_IN_THE_FORM:
        with case(name):
            form = {key: text.replace("OTHER", other) for key, text in changes.items()}
            response = flow.browser.post(address, {**consent_form(personas.bob), **form})
            assert continue_link(response).startswith(REDIRECT + "?")
            parameters = response_parameters(response)
            assert parameters["state"] == "a state"
            grant = Grant.objects.get()
            assert (grant.application.client_id, grant.scope) == (flow.client_id, "read")
            assert grant.user_id == personas.bob.user.id
            tokens = document_in(flow.exchange(parameters["code"]))
            assert tokens["scope"] == "read"
            assert not caller_of_bearer(tokens["access_token"]).may("builds:review")


def test_access_that_is_not_offered(flow: Flow, personas: Personas, case: Case) -> None:
    for access in ("admin", "write", "owner", "changes read", "CHANGES", "\0"):
        with case(f"access {access!r}"):
            assert flow.decide(personas.bob, access).status_code == 400
            assert_nothing_granted()


SCOPES = [
    ("a role", "owner"),
    ("a permission", "repos:manage"),
    ("all", "*"),
    ("one more than there is (RFC 6749, 4.1.2.1)", "read write admin"),
    ("capitals", "WRITE"),
    ("a comma", "read,write"),
    ("of another protocol", "openid profile email offline_access"),
    ("a quotation mark", 'read"'),
]


@pytest.mark.usefixtures("without_rate_limits")
def test_scopes_that_do_not_exist(flow: Flow, personas: Personas, case: Case) -> None:
    for name, scope in SCOPES:
        with case(name):
            assert_error_for_client(flow.ask(scope=scope), "invalid_scope")
            assert_error_for_client(flow.decide(personas.bob, scope=scope), "invalid_scope")


def test_more_than_the_role_allows(personas: Personas) -> None:
    flow = flow_of(personas.carol)
    tokens = flow.tokens(personas.carol, "changes", scope="read write")
    assert tokens["scope"] == "read"
    assert Grant.objects.get().scope == "read"
    # A higher role does not extend the grant.
    Membership.objects.filter(user=personas.carol.user).update(role="owner")
    assert not caller_of_bearer(tokens["access_token"]).may("builds:review")


def test_the_action_of_the_page_checks_the_grant_too(
    flow: Flow, personas: Personas, case: Case
) -> None:
    """A second check, in case a form accepts more."""
    for name, asked, granted in (
        ("bob", "read", "read write"),
        ("bob", "read", "write"),
        ("bob", "read write", "read write admin"),
        ("carol", "read write", "read write"),
        ("carol", "write", "write"),
    ):
        with case(f"{name}: {granted} instead of {asked}"):
            payload = {"clientId": flow.client_id, "asked": asked, "granted": granted}
            with pytest.raises((ForbiddenError, InvalidInputError)):
                dispatch(any_action("connect_app"), getattr(personas, name).caller, payload)
            assert_nothing_granted()


def test_only_a_person_connects_an_app(flow: Flow, personas: Personas) -> None:
    """An app or key with all permissions cannot connect another app."""
    token = flow_of(personas.alice).tokens(personas.alice)["access_token"]
    payload = {"clientId": flow.client_id, "asked": "read", "granted": "read"}
    every = ("repos:view", "builds:view", "builds:review", "repos:manage")
    for credential in (token, organization_key(personas.alice, every), user_key(personas.alice)):
        with pytest.raises(ForbiddenError):
            dispatch(any_action("connect_app"), caller_of_bearer(credential), payload)
    assert Grant.objects.count() == 1


def test_a_denial_returns_an_error_to_the_client(flow: Flow, personas: Personas) -> None:
    """RFC 6749, 4.1.2.1 and RFC 9207, 2."""
    for state in ("a state", "'\"><script>alert(1)</script>", "a\r\nLocation: x", "&code=x#code=y"):
        response = flow.decide(personas.bob, decision="refuse", state=state)
        assert_error_for_client(response, "access_denied")
        assert response_parameters(response)["state"] == state
        assert "<script>alert" not in response.content.decode()
    assert not TokenFamily.objects.exists()


def test_names_are_escaped_on_the_page(personas: Personas) -> None:
    hostile = "</h1><script>alert(1)</script><img src=x onerror=alert(1)>'\"{{ 7|add:7 }}"
    flow = Flow(client_with(name=hostile), signed_in(personas.bob))
    pages = [flow.ask(), flow.decide(personas.bob), flow.browser.get("/account/apps")]
    for page in pages:
        text = page.content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "&lt;script&gt;alert(1)" in text
        assert "{{ 7|add:7 }}" in text


def test_a_self_registered_client_is_shown_as_unverified(personas: Personas) -> None:
    flow = Flow(client_with(name="Claude"), signed_in(personas.bob))
    assert "unverified" in flow.ask().content.decode()
    Application.objects.update(registration_source="cimd", client_id="https://a.example/c")
    flow.client_id = "https://a.example/c"
    assert "a.example" in flow.ask().content.decode()


def test_parameters_of_other_protocols_are_not_followed(
    flow: Flow, personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RFC 9101 and OpenID Connect: nothing is fetched or read from such parameters."""

    def reached(*_: object, **__: object) -> None:
        pytest.fail("A connection was opened.")

    monkeypatch.setattr("socket.getaddrinfo", reached)
    more = {
        "request_uri": "https://evil.example/request",
        "request": "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9.",
        "id_token_hint": "eyJhbGciOiJub25lIn0.e30.",
        "login_hint": personas.alice.user.email,
        "response_mode": "form_post",
        "web_message_uri": EVIL,
        "max_age": "0",
    }
    page = flow.ask(**more)
    assert page.status_code == 200
    assert personas.alice.user.email not in re.sub(
        r'(action|value)="[^"]*"', "", page.content.decode()
    )
    assert continue_link(flow.decide(personas.bob, **more)).startswith(REDIRECT + "?code=")


@pytest.fixture
def grant(flow: Flow, personas: Personas) -> Grant:
    flow.tokens(personas.bob)
    return Grant.objects.get()


def test_ending_an_app_from_another_page(grant: Grant, personas: Personas) -> None:
    """RFC 9700, 4.16: neither by clickjacking nor by a forged form."""
    address = f"/account/apps/{grant.id}/disconnect"
    browser = csrf_checked_browser(personas.bob)
    assert browser.get(address).status_code == 405
    assert browser.post(address).status_code == 403
    token = form_token(browser.get("/account/apps"))
    form = {"csrfmiddlewaretoken": token}
    assert browser.post(address, form, headers={"Origin": EVIL}).status_code == 403
    grant.refresh_from_db()
    assert grant.disconnected_at is None
    assert Client().post(address)["Location"].startswith("/sign-in")
    for other in (personas.carol, personas.mallory):
        assert signed_in(other).post(address).status_code == 404
    grant.refresh_from_db()
    assert grant.disconnected_at is None
    assert browser.post(address, form).status_code == 302
    grant.refresh_from_db()
    assert grant.disconnected_at is not None
