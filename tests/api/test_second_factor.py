"""Second factors, confirming with a password or factor, and a person's own sessions."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.action_calls import act
from tests.support.oauth.flow import Flow
from tests.support.pages import sign_in, signed_in, text_of
from tests.support.personas import PASSWORD, Personas
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.worker import database_environment
from tests.support.worlds import World
from visual_review.accounts.models import ApiKey, Membership, Session
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.audit.models import AuditEntry
from visual_review.config.commands.rotate_key import encrypt_all_again
from visual_review.kernel.ids import new_id
from visual_review.web.views.sessions import describe_browser

CALLBACK = "http://127.0.0.1:33418/callback"
FACTORS = "/account/second-factor"
PERIOD = 30


def code_for(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // PERIOD))


def set_up_app(client: Client) -> str:
    """Set up an authenticator app; return its secret."""
    page = text_of(client, f"{FACTORS}/app")
    found = re.search(r'id="totp-secret" value="([A-Z2-7]+)"', page)
    assert found
    response = client.post(f"{FACTORS}/app", {"code": code_for(found[1])})
    assert response.status_code == 302, response.content.decode()
    assert response["Location"] == f"{FACTORS}/codes"
    return found[1]


def recovery_codes(client: Client) -> list[str]:
    return re.findall(r"<li><code>(\d+)</code>", text_of(client, f"{FACTORS}/codes"))


def test_the_app_is_asked_for_after_the_password(personas: Personas) -> None:
    client = signed_in(personas.alice)
    secret = set_up_app(client)
    assert secret not in str(list(Authenticator.objects.values()))
    codes = recovery_codes(client)
    assert len(codes) == 10
    new = Client()
    response = sign_in(new, personas.alice.user.email)
    assert response["Location"] == "/sign-in/second-factor"
    # Not signed in yet.
    assert new.get("/account").status_code == 302
    page = new.post("/sign-in/second-factor", {"code": "000000"}).content.decode()
    assert "Incorrect code" in page
    response = new.post("/sign-in/second-factor", {"code": code_for(secret)})
    assert response.status_code == 302
    assert "Alice" in text_of(new, "/account")
    # A recovery code works once.
    for expected in (302, 200):
        another = Client()
        sign_in(another, personas.alice.user.email)
        found = another.post("/sign-in/second-factor", {"code": codes[0]})
        assert found.status_code == expected
    verbs = set(AuditEntry.objects.values_list("verb", flat=True))
    assert verbs >= {"factor.added", "session.signed_in", "session.sign_in_failed"}


def test_a_removed_factor_is_not_asked_for(personas: Personas) -> None:
    client = signed_in(personas.alice)
    set_up_app(client)
    client.post(f"{FACTORS}/app/remove")
    assert not Authenticator.objects.exists()
    assert sign_in(Client(), personas.alice.user.email)["Location"] == "/"
    removed = AuditEntry.objects.filter(verb="factor.removed").values_list("after", flat=True)
    assert {"kind": "TOTP Authenticator"} in list(removed)


def test_an_organization_demands_a_factor_of_passwords(personas: Personas) -> None:
    policy = {"passwordOwnerId": "", "requiresSecondFactor": True}
    act(personas.alice, "set_sign_in_policy", **policy)
    client = signed_in(personas.bob)
    response = client.get("/repositories")
    assert response["Location"] == FACTORS
    assert "demands a second factor" in text_of(client, FACTORS)
    home = client.get("/")
    assert (home.status_code, home["Location"]) == (302, FACTORS)
    build = World(personas.alice).publish({"a": "red"})
    for url in (f"/builds/{build.pk}/review.json", f"/builds/{build.pk}/threads.json"):
        refused = client.get(url)
        assert refused.status_code == 403
        assert "demands a second factor" in refused.content.decode()
    # Nor does an app get more access than the person.
    agent = register(ClientMetadata("Agent", (CALLBACK,)))
    url = Flow(agent.client_id, Client(), redirect=CALLBACK).url()
    assert client.get(url)["Location"] == FACTORS
    set_up_app(client)
    assert client.get("/repositories").status_code == 200
    assert client.get(url).status_code == 200
    # Another organization demands nothing.
    assert signed_in(personas.mallory).get("/repositories").status_code == 200


def wait(monkeypatch: pytest.MonkeyPatch, minutes: int) -> None:
    later = time.time() + minutes * 60
    monkeypatch.setattr("visual_review.web.reauthentication.time.time", lambda: later)


def test_a_key_is_created_once_the_password_was_confirmed(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(personas.alice)
    wait(monkeypatch, 16)
    form = {"name": "laptop", "scope": "user"}
    response = client.post("/keys", form)
    assert response["Location"] == "/account/confirm?next=%2Fkeys"
    assert not ApiKey.objects.exists()
    wrong = client.post("/account/confirm", {"password": "wrong", "next": "/keys"})
    assert wrong.status_code == 200
    monkeypatch.undo()
    # The sent form goes on.
    response = client.post("/account/confirm", {"password": PASSWORD, "next": "/keys"})
    assert response.status_code == 200
    assert ApiKey.objects.get().name == "laptop"


def test_every_form_that_gives_access_asks_again(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(personas.alice)
    wait(monkeypatch, 16)
    member = Membership.objects.get(user=personas.bob.user)
    for url in (
        "/members",
        f"/members/{member.pk}/role",
        f"/members/{member.pk}/password-link",
        "/members/sign-in",
        "/source-host/webhook-secret",
        "/source-host/disconnect",
    ):
        response = client.post(url, {"role": "owner", "email": "x@example.com"})
        assert response["Location"].startswith("/account/confirm?next=%2F"), url
    member.refresh_from_db()
    assert member.role == "reviewer"


def test_a_form_with_a_credential_is_not_kept(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(personas.alice)
    wait(monkeypatch, 61)
    for url in ("/source-host", "/source-host/credentials", f"/members/sign-in/{new_id('idp')}"):
        response = client.post(url, {"token": "a secret of the provider"})
        assert response["Location"] == f"/account/confirm?next={url}"
    assert "a secret of the provider" not in str(client.session.items())


def test_own_sessions_are_listed_and_ended(personas: Personas) -> None:
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    phone = Client(headers={"user-agent": agent}, REMOTE_ADDR="203.0.113.7")
    sign_in(phone, personas.alice.user.email)
    here = Client()
    sign_in(here, personas.alice.user.email)
    bobs = signed_in(personas.bob)
    page = text_of(here, "/account/sessions")
    assert "Firefox on Linux" in page
    assert "203.0.113.7" in page
    assert page.count("This one") == 1
    other = Session.objects.get(user=personas.bob.user)
    # Someone else's session is none of these.
    here.post("/account/sessions", {"session": other.pk})
    assert bobs.get("/account").status_code == 200
    row = Session.objects.get(browser__contains="Firefox")
    here.post("/account/sessions", {"session": row.pk})
    assert phone.get("/account").status_code == 302
    entry = AuditEntry.objects.get(verb="session.ended")
    assert entry.after == {"browser": "Firefox on Linux", "network": "203.0.113.7"}
    sign_in(phone, personas.alice.user.email)
    here.post("/account/sessions")
    assert phone.get("/account").status_code == 302
    assert here.get("/account").status_code == 200


BROWSERS = {
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/156.0 Safari/537.36 Edg/156.0": "Edge on Windows",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605 Version/17 Safari/605": "Safari on macOS",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18 Safari/604": "Safari on iOS",
    "curl/8": "A browser",
}


@pytest.mark.parametrize("text", BROWSERS)
def test_a_browser_is_named_as_people_know_it(text: str) -> None:
    assert describe_browser(text) == BROWSERS[text]


def test_the_operator_helps_a_person_who_lost_everything(personas: Personas) -> None:
    set_up_app(signed_in(personas.alice))
    arguments = ["password-link", personas.alice.user.email, "--remove-factors"]
    variables = database_environment(VISUAL_REVIEW_SECRET_KEY="s" * 40)
    done = run_in_process(arguments, variables)
    assert done.code == 0, done.err
    assert not Authenticator.objects.exists()
    assert AuditEntry.objects.filter(verb="factor.removed", channel="cli").exists()


def test_factors_are_encrypted_again_with_a_new_key(personas: Personas, settings: Settings) -> None:
    client = signed_in(personas.alice)
    secret = set_up_app(client)
    settings.ENCRYPTION_KEYS = ("a new key that is long enough for it",)
    result = encrypt_all_again()
    assert (result.encrypted, result.broken) == (2, [])
    assert encrypt_all_again().encrypted == 0
    new = Client()
    sign_in(new, personas.alice.user.email)
    assert new.post("/sign-in/second-factor", {"code": code_for(secret)}).status_code == 302


@pytest.mark.parametrize("password", ["elevenchars", "password1234"])
def test_short_and_common_passwords_are_refused(personas: Personas, password: str) -> None:
    client = signed_in(personas.alice)
    form = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    response = client.post("/account/password", form)
    assert response.status_code == 200
    assert "This password is too" in response.content.decode()
