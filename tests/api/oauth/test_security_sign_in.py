"""Security cases of the sign-in: open redirects, and signing in as someone else."""

from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.case import Case
from tests.support.oauth.assertions import assert_nothing_granted, flow_of
from tests.support.oauth.flow import Flow
from tests.support.pages import signed_in
from tests.support.personas import PASSWORD, Persona, Personas

OUTSIDE = [
    ("another site (RFC 9700, 4.11)", "https://evil.example/"),
    ("another site by plain http", "http://evil.example/"),
    ("without a scheme", "//evil.example/"),
    ("with three slashes", "///evil.example/"),
    ("with a backslash", "/\\evil.example/"),
    ("with two backslashes", "\\\\evil.example/"),
    ("with a backslash behind the scheme", "https:\\\\evil.example/"),
    ("with one slash", "https:/evil.example/"),
    ("with no slash", "https:evil.example"),
    ("with a tab", "/\t/evil.example/"),
    ("with a line break", "/\n/evil.example/"),
    ("with a blank in front", " //evil.example/"),
    ("with a control character in front", "\x01//evil.example/"),
    ("with a zero byte", "\0//evil.example/"),
    ("with ours as a user", "http://testserver@evil.example/"),
    ("with ours as a beginning", "http://testserver.evil.example/"),
    ("a script", "javascript:alert(document.cookie)"),
    ("a script with a line break", "java\nscript:alert(1)"),
    ("a document of its own", "data:text/html,<script>alert(1)</script>"),
    ("a header behind", "/account\r\nLocation: https://evil.example/"),
]


def sign_in(browser: Client, persona: Persona, following: str) -> HttpResponse:
    form = {"login": persona.user.email, "password": PASSWORD, "next": following}
    return browser.post(f"/sign-in?next={quote(following)}", form)


def assert_stays_on_site(response: HttpResponse) -> None:
    assert response.status_code == 302
    location = response["Location"]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))
    assert "\n" not in location
    assert "\t" not in location


@pytest.mark.usefixtures("without_rate_limits")
def test_signing_in_and_out_never_leaves_the_site(personas: Personas, case: Case) -> None:
    for name, following in OUTSIDE:
        with case(name):
            browser = Client()
            page = browser.get(f"/sign-in?next={quote(following)}")
            assert "evil.example" not in page.get("Location", "")
            response = sign_in(browser, personas.bob, following)
            # A form with invalid values may also be rejected.
            if response.status_code != 200:
                assert_stays_on_site(response)
            # A person who is already signed in is redirected immediately.
            member = signed_in(personas.bob)
            assert_stays_on_site(member.get(f"/sign-in?next={quote(following)}"))
            assert_stays_on_site(member.post("/sign-out", {"next": following}))


def test_signing_in_leads_back_to_the_request(personas: Personas) -> None:
    flow, browser = flow_of(personas.bob), Client()
    for address in (
        flow.url(),
        flow.url(next="https://evil.example/"),
        flow.url(redirect_uri="https://evil.example/"),
        flow.url(state="//evil.example/\\"),
    ):
        sent = browser.get(address)
        assert sent["Location"].startswith("/sign-in?next=/oauth/authorize%3F")
        answer = browser.post(
            sent["Location"], {"login": personas.bob.user.email, "password": PASSWORD}
        )
        assert answer["Location"] == address
        assert "evil.example" not in browser.get(address).get("Location", "")
        browser.post("/sign-out")
    assert_nothing_granted()


def test_no_one_is_signed_in_by_another_page(personas: Personas) -> None:
    """RFC 9700, 4.7: a victim would connect an app to the attacker's account otherwise."""
    victim = Client(enforce_csrf_checks=True)
    form = {"login": personas.mallory.user.email, "password": PASSWORD}
    assert victim.post("/sign-in", form).status_code == 403
    victim.get("/sign-in")
    form["csrfmiddlewaretoken"] = victim.cookies["csrftoken"].value
    foreign = {"Origin": "https://evil.example"}
    assert victim.post("/sign-in", form, headers=foreign).status_code == 403
    assert victim.get("/account").status_code == 302


def test_no_one_is_signed_out_by_another_page(personas: Personas) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(personas.bob.user)
    assert browser.get("/sign-out").status_code == 405
    assert browser.post("/sign-out").status_code == 403
    assert browser.get("/account").status_code == 200


def test_a_planted_session_is_replaced_when_signing_in(personas: Personas) -> None:
    """Session fixation: the attacker knows the session cookie of the victim's browser."""
    attacker = signed_in(personas.mallory)
    planted = attacker.cookies["sessionid"].value
    victim = Client()
    victim.cookies["sessionid"] = planted
    flow = Flow(flow_of(personas.bob).client_id, victim)
    sign_in(victim, personas.bob, flow.url())
    victim.post("/sign-out")
    sign_in(victim, personas.bob, flow.url())
    assert victim.cookies["sessionid"].value != planted
    attacker.cookies["sessionid"] = planted
    page = attacker.get(flow.url())
    assert personas.bob.user.email not in page.content.decode()


def test_the_session_cookie_is_restricted_to_the_site(personas: Personas) -> None:
    browser = Client()
    sign_in(browser, personas.bob, "/account")
    cookie = browser.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert not cookie["domain"]
