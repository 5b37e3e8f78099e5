"""Single sign-on through a real OpenID Connect provider, and providers that misbehave."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_network
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.action_calls import act
from tests.support.case import Case
from tests.support.openid import OpenIdProvider, openid_provider
from tests.support.pages import sign_in, signed_in, text_of
from tests.support.personas import Persona, Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import (
    ApiKey,
    Identity,
    Membership,
    Session,
    SignInProvider,
    User,
)
from visual_review.accounts.single_sign_on.access_checks import check_access, enqueue_checks
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
)
from visual_review.kernel.ids import new_id
from visual_review.web.views import single_sign_on as views

PLACEHOLDER = "https://app.test/callback"
DAY = 24 * 60 * 60


@dataclass(frozen=True)
class SignOn:
    """A provider added by Alice, and the real one behind it."""

    real: OpenIdProvider
    row: SignInProvider
    personas: Personas

    def start(self, client: Client, **query: str) -> str:
        response = client.get(f"/sso/{self.row.pk}", query)
        assert response.status_code == 302, response.content.decode()
        return str(response["Location"])

    def come_back(self, client: Client, location: str, subject: str) -> object:
        """Sign in at the provider, and follow the redirect back to a page."""
        back = urlsplit(self.real.sign_in(location, subject))
        return client.get(f"{back.path}?{back.query}")

    def sign_in(
        self, subject: str, client: Client | None = None, **query: str
    ) -> tuple[Client, object]:
        browser = client or Client()
        return browser, self.come_back(browser, self.start(browser, **query), subject)


@pytest.fixture(scope="module")
def real() -> Iterator[OpenIdProvider]:
    with openid_provider() as started:
        yield started


@pytest.fixture
def sign_on(real: OpenIdProvider, personas: Personas, settings: Settings) -> SignOn:
    settings.MESSAGE_NETWORKS = (ip_network("127.0.0.0/8"),)
    real.change(claims={})
    settings.PUBLIC_URL = "https://app.test"
    saved = add_provider(personas.alice, real)
    row = SignInProvider.objects.get(pk=saved)
    client = real.register(f"https://app.test/sso/{row.pk}/callback")
    add_provider(
        personas.alice,
        real,
        providerId=row.pk,
        clientId=client["client_id"],
        clientSecret=client["client_secret"],
    )
    row.refresh_from_db()
    return SignOn(real, row, personas)


def add_provider(persona: Persona, real: OpenIdProvider, **values: object) -> str:
    wanted = {
        "providerId": new_id("idp"),
        "name": "Company",
        "issuer": real.url,
        "clientId": "to be registered",
        "clientSecret": "to be registered",
        "domains": ["example.com"],
        "groupRoles": [],
        "defaultRole": "viewer",
    }
    return str(act(persona, "save_sign_in_provider", **wanted | values).id)


def change(sign_on: SignOn, **values: object) -> None:
    """Change the provider, with all other settings unchanged."""
    SignInProvider.objects.filter(pk=sign_on.row.pk).update(**values)


def said(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined, no-any-return] # A response of the client.


def refused(response: object) -> str:
    """Return the page of a refused sign-in."""
    assert response.status_code in {403, 503}, said(response)  # type: ignore[attr-defined]
    return said(response)


def test_a_person_of_the_provider_becomes_a_member(sign_on: SignOn) -> None:
    sign_on.real.add_person("d1", email="Dana@Example.com", name="Dana")
    client, response = sign_on.sign_in("d1", next="/repositories")
    assert response["Location"] == "/repositories"  # type: ignore[index]
    dana = User.objects.get(email="dana@example.com")
    assert (dana.name, dana.has_usable_password()) == ("Dana", False)
    assert Membership.objects.get(user=dana).role == "viewer"
    assert "Dana" in text_of(client, "/account")
    # The second time nothing is created.
    sign_on.sign_in("d1")
    assert User.objects.filter(name="Dana").count() == 1
    verbs = (
        AuditEntry.objects.filter(target_id=dana.id).order_by("pk").values_list("verb", flat=True)
    )
    assert list(verbs) == ["member.joined", "session.signed_in", "session.signed_in"]
    # Neither the provider's secret nor the refresh token is readable.
    stored = f"{Identity.objects.values().get()}{SignInProvider.objects.values().get()}"
    assert "to be registered" not in stored
    assert dana.id in stored


def test_groups_decide_the_role_each_time(sign_on: SignOn) -> None:
    change(sign_on, group_roles={"leads": "admin", "dev": "reviewer"}, default_role="")
    real = sign_on.real
    real.add_person("e1", email="eve@example.com", groups=["dev", "leads", "other"])
    sign_on.sign_in("e1")
    member = Membership.objects.get(user__email="eve@example.com")
    assert member.role == "admin"
    real.add_person("e1", email="eve@example.com", groups="dev")
    sign_on.sign_in("e1")
    member.refresh_from_db()
    assert member.role == "reviewer"
    real.add_person("e1", email="eve@example.com", groups=["other"])
    _, response = sign_on.sign_in("e1")
    assert "none of the groups" in refused(response)
    entry = AuditEntry.objects.filter(verb="session.sign_in_refused").get()
    assert "none of the groups" in entry.after["reason"]


def test_groups_never_take_the_last_owner(sign_on: SignOn) -> None:
    alice = sign_on.personas.alice
    sign_on.real.add_person("a1", email=alice.user.email, groups=[])
    change(sign_on, group_roles={"leads": "admin"}, default_role="viewer")
    sign_on.sign_in("a1")
    assert Membership.objects.get(user=alice.user).role == "owner"
    due(timedelta(hours=1))
    check_access(sign_on.row.pk)
    # A check says nothing again.
    entry = AuditEntry.objects.get(verb="member.role_kept")
    assert (entry.before, entry.after) == ({"role": "owner"}, {"groups": "viewer"})


ADDRESSES = {
    "another domain": ({"email": "x@example.org"}, "does not belong to example.com"),
    "a domain that ends alike": ({"email": "x@evil-example.com"}, "does not belong to"),
    "not verified": ({"email": "x@example.com", "email_verified": False}, "has not verified"),
    "no word of it": ({"email": "x@example.com", "email_verified": None}, "has not verified"),
    "no address": ({}, "sent no e-mail address"),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_addresses_that_let_no_one_in(sign_on: SignOn, name: str) -> None:
    claims, reason = ADDRESSES[name]
    sign_on.real.add_person("x1", **claims)
    _, response = sign_on.sign_in("x1")
    assert reason in refused(response)
    assert not User.objects.filter(email__startswith="x@").exists()


def test_a_trusted_provider_need_not_verify_addresses(sign_on: SignOn) -> None:
    change(sign_on, trusts_email=True)
    sign_on.real.add_person("t1", email="tom@example.com", email_verified=None)
    sign_on.sign_in("t1")
    assert User.objects.filter(email="tom@example.com").exists()
    sign_on.real.add_person("t2", email="tim@example.com", email_verified=False)
    assert "has not verified" in refused(sign_on.sign_in("t2")[1])


# Times are in seconds from the moment of the test.
TIMES = ("exp", "iat")
TOKENS = {
    "issuer": ({"iss": "https://evil.test"}, "another issuer"),
    "audience": ({"aud": "another"}, "another application"),
    "one of two audiences": ({"aud": ["CLIENT", "another"]}, "another application"),
    "nonce": ({"nonce": "stolen"}, "belongs to another sign-in"),
    "expired": ({"exp": -DAY, "iat": -DAY}, "differ by more than 5 min"),
    "from the future": ({"iat": 600}, "differ by more than 5 minutes"),
    "another person": ({"sub": "someone else"}, "name two different people"),
}


def test_tokens_that_a_provider_should_not_send(sign_on: SignOn, case: Case) -> None:
    sign_on.real.add_person("w1", email="wendy@example.com")
    for name, (claims, reason) in TOKENS.items():
        with case(name):
            changed = {
                key: time.time() + value if key in TIMES else value for key, value in claims.items()
            }
            if isinstance(changed.get("aud"), list):
                changed["aud"] = [sign_on.row.client_id, "another"]
            sign_on.real.change(claims=changed)
            client, response = sign_on.sign_in("w1")
            assert reason in refused(response)
            assert client.get("/account").status_code == 302
    assert not User.objects.filter(email="wendy@example.com").exists()


def test_a_clock_that_is_four_minutes_off_is_accepted(sign_on: SignOn) -> None:
    sign_on.real.add_person("c1", email="cleo@example.com")
    sign_on.real.change(claims={"iat": time.time() + 240, "exp": time.time() + 300})
    assert sign_on.sign_in("c1")[1].status_code == 302  # type: ignore[attr-defined]
    sign_on.real.change(claims={"iat": time.time() - 900, "exp": time.time() - 240})
    assert sign_on.sign_in("c1")[1].status_code == 302  # type: ignore[attr-defined]


def test_a_response_works_once_and_in_its_browser(sign_on: SignOn) -> None:
    sign_on.real.add_person("r1", email="rob@example.com")
    client = Client()
    back = urlsplit(sign_on.real.sign_in(sign_on.start(client), "r1"))
    url = f"{back.path}?{back.query}"
    assert "was completed before" in refused(Client().get(url))
    assert client.get(url).status_code == 302
    assert "was completed before" in refused(client.get(url))
    # A used code, in a sign-in started anew.
    state = dict(part.split("=") for part in urlsplit(sign_on.start(client)).query.split("&"))[
        "state"
    ]
    code = dict(part.split("=") for part in back.query.split("&"))["code"]
    again = client.get(f"{back.path}?code={code}&state={state}")
    assert "its code was used before" in refused(again)
    wrong = client.get(f"{back.path}?code={code}&state={state}&iss=https%3A%2F%2Fevil.test")
    assert "another issuer" in refused(wrong)
    canceled = urlsplit(sign_on.start(client)).query
    state = dict(part.split("=") for part in canceled.split("&"))["state"]
    response = client.get(f"{back.path}?error=access_denied&state={state}")
    assert "was canceled" in refused(response)


def test_a_provider_that_is_down_is_named(sign_on: SignOn) -> None:
    change(sign_on, issuer="http://127.0.0.1:9")
    response = Client().get(f"/sso/{sign_on.row.pk}")
    assert response.status_code == 503
    assert "127.0.0.1:9 cannot be reached" in response.content.decode()


def test_a_provider_without_refresh_tokens_lets_no_one_in(sign_on: SignOn) -> None:
    url = f"https://app.test/sso/{sign_on.row.pk}/callback"
    registered = sign_on.real.register(url, grant_types=["authorization_code"])
    add_provider(
        sign_on.personas.alice,
        sign_on.real,
        providerId=sign_on.row.pk,
        clientId=registered["client_id"],
        clientSecret=registered["client_secret"],
    )
    sign_on.real.add_person("n1", email="nora@example.com")
    assert "sent no refresh token" in refused(sign_on.sign_in("n1")[1])


def test_an_account_with_a_password_is_connected_by_its_person_only(sign_on: SignOn) -> None:
    mallory = sign_on.personas.mallory.user
    sign_on.real.add_person("m1", email=mallory.email)
    _, response = sign_on.sign_in("m1")
    assert "Sign in to it with its password first" in refused(response)
    client = signed_in(sign_on.personas.mallory)
    # A link from elsewhere connects nothing, even in the person's own browser.
    assert "Sign in to it with its password" in refused(sign_on.sign_in("m1", client)[1])
    page = text_of(client, f"/sso?email={mallory.email}")
    connect = unquote(page.split("connect=")[1].split('"')[0])
    _, response = sign_on.sign_in("m1", client, connect=connect)
    assert response.status_code == 302  # type: ignore[attr-defined]
    assert Identity.objects.get().user == mallory
    # The session is in the provider's organization alone, a new one with the password elsewhere.
    assert "Acme" in text_of(client, "/account")
    assert "Evil Corp" not in text_of(client, "/account")
    client.post("/sign-out")
    sign_in(client, mallory.email)
    assert "Evil Corp" in text_of(client, "/account")


def test_an_account_of_the_organization_alone_is_connected(sign_on: SignOn) -> None:
    bob = sign_on.personas.bob.user
    sign_on.real.add_person("b1", email=bob.email)
    sign_on.sign_in("b1")
    assert Identity.objects.get().user == bob
    assert Membership.objects.get(user=bob).role == "reviewer"
    # The same address of another person at the provider is someone else.
    sign_on.real.add_person("b2", email=bob.email)
    assert "for another person now" in refused(sign_on.sign_in("b2")[1])


def test_an_account_without_organizations_loses_its_password(sign_on: SignOn) -> None:
    stray = User.objects.create_user("stray@example.com", "a password that someone chose")
    other = Client()
    other.force_login(stray)
    sign_on.real.add_person("s1", email=stray.email)
    sign_on.sign_in("s1")
    stray.refresh_from_db()
    assert not stray.has_usable_password()
    assert other.get("/account").status_code == 302


def test_only_the_named_owner_may_use_a_password(sign_on: SignOn) -> None:
    alice, bob = sign_on.personas.alice, sign_on.personas.bob
    with pytest.raises(ConflictError, match="No one has signed in"):
        require(alice, alice.user.pk)
    sign_on.real.add_person("b1", email=bob.user.email)
    through_provider, _ = sign_on.sign_in("b1")
    with_password = signed_in(bob)
    _, carols = create_key(sign_on.personas.carol.caller, NewKey("user", "k", ["builds:view"]))
    _, bobs = create_key(bob.caller, NewKey("user", "k", ["builds:view"]))
    with pytest.raises(InvalidInputError, match="must be an owner"):
        require(alice, bob.user.pk)
    result = require(alice, alice.user.pk)
    assert result.revoked_keys == 1
    with pytest.raises(UnauthenticatedError):
        caller_of_key(carols.text, "rest")
    assert caller_of_key(bobs.text, "rest").name == "Bob"
    assert through_provider.get("/repositories").status_code == 200
    assert with_password.get("/repositories")["Location"] == "/sso?next=/repositories"
    data = with_password.get("/builds/build_x/review.json")
    assert (data.status_code, "requires single sign-on" in said(data)) == (403, True)
    page = text_of(with_password, "/sso")
    assert "Acme requires single sign-on" in page
    assert "Continue with Company" in page
    assert signed_in(alice).get("/repositories").status_code == 200
    with pytest.raises(ConflictError, match="is the only provider"):
        act(alice, "remove_sign_in_provider", providerId=sign_on.row.pk)
    require(alice, "")
    assert with_password.get("/repositories").status_code == 200


def test_access_ends_when_the_provider_no_longer_knows_the_person(sign_on: SignOn) -> None:
    sign_on.real.add_person("f1", email="finn@example.com", groups=["dev"])
    client, _ = sign_on.sign_in("f1")
    finn = Membership.objects.get(user__email="finn@example.com")
    persona = Persona(finn.user, finn.organization)
    _, key = create_key(persona.caller, NewKey("user", "k", ["builds:view"]))
    due(timedelta(minutes=50))
    check_access(sign_on.row.pk)
    assert client.get("/repositories").status_code == 200
    sign_on.real.remove_person("f1")
    # Checked a moment ago.
    check_access(sign_on.row.pk)
    assert client.get("/repositories").status_code == 200
    due(timedelta(minutes=50))
    check_access(sign_on.row.pk)
    assert client.get("/repositories").status_code == 302
    assert not Session.objects.filter(user=finn.user).exists()
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key.text, "rest")
    entry = AuditEntry.objects.get(verb="access.ended")
    assert entry.after["revokedKeys"] == 1
    # Whoever is let in again has access again.
    sign_on.real.add_person("f1", email="finn@example.com")
    assert sign_on.sign_in("f1")[0].get("/repositories").status_code == 200


def test_removing_a_provider_ends_the_keys_of_its_people(sign_on: SignOn) -> None:
    alice, bob = sign_on.personas.alice, sign_on.personas.bob
    sign_on.real.add_person("b1", email=bob.user.email)
    sign_on.sign_in("b1")
    _, key = create_key(bob.caller, NewKey("user", "k", ["builds:view"]))
    add_provider(alice, sign_on.real, name="Other")
    require(alice, alice.user.pk)
    act(alice, "remove_sign_in_provider", providerId=sign_on.row.pk)
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key.text, "rest")
    assert AuditEntry.objects.get(verb="sign_in_provider.removed").after["revokedKeys"] == 1


def require(persona: Persona, owner_id: str) -> Any:  # noqa: ANN401 - The action's result.
    """Allow a password to one owner only, or to everyone."""
    policy = {"passwordOwnerId": owner_id, "requiresSecondFactor": False}
    return act(persona, "set_sign_in_policy", **policy)


def due(age: timedelta) -> None:
    Identity.objects.update(checked_at=now() - age)


def test_a_response_that_proves_nothing_takes_no_ones_access(sign_on: SignOn) -> None:
    sign_on.real.add_person("k1", email="kim@example.com")
    client, _ = sign_on.sign_in("k1")
    due(timedelta(hours=1))
    sign_on.real.change(claims={"iat": time.time() + 600})
    check_access(sign_on.row.pk)
    assert client.get("/repositories").status_code == 200
    sign_on.real.change(claims={})
    check_access(sign_on.row.pk)
    assert Identity.objects.get().checked_at > now() - timedelta(minutes=1)


def test_groups_change_the_role_at_the_next_check(sign_on: SignOn) -> None:
    change(sign_on, group_roles={"dev": "reviewer", "leads": "admin"}, default_role="")
    sign_on.real.add_person("l1", email="lea@example.com", groups=["dev"])
    sign_on.sign_in("l1")
    sign_on.real.add_person("l1", email="lea@example.com", groups=["leads"])
    due(timedelta(hours=1))
    check_access(sign_on.row.pk)
    assert Membership.objects.get(user__email="lea@example.com").role == "admin"


def test_a_group_that_was_left_ends_access_at_the_next_check(sign_on: SignOn) -> None:
    change(sign_on, group_roles={"dev": "reviewer"}, default_role="")
    sign_on.real.add_person("g1", email="gail@example.com", groups=["dev"])
    client, _ = sign_on.sign_in("g1")
    sign_on.real.add_person("g1", email="gail@example.com", groups=[])
    due(timedelta(hours=1))
    check_access(sign_on.row.pk)
    assert client.get("/repositories").status_code == 302


def test_a_provider_that_is_down_takes_no_ones_access(sign_on: SignOn) -> None:
    sign_on.real.add_person("h1", email="hugo@example.com")
    client, _ = sign_on.sign_in("h1")
    due(timedelta(hours=1))
    change(sign_on, issuer="http://127.0.0.1:9")
    check_access(sign_on.row.pk)
    assert client.get("/repositories").status_code == 200
    enqueue_checks()


def test_two_organizations_with_one_domain_are_both_offered(sign_on: SignOn) -> None:
    add_provider(sign_on.personas.mallory, sign_on.real, name="Evil")
    page = text_of(Client(), "/sso?email=ann@EXAMPLE.com")
    assert "Continue with Company" in page
    assert "Continue with Evil" in page
    assert "(Evil Corp)" in page
    assert "No organization uses" in text_of(Client(), "/sso?email=ann@example.org")


INPUTS = {
    "a group with two roles": (
        {"groupRoles": [{"group": "a", "role": "viewer"}, {"group": "a", "role": "admin"}]},
        "The group 'a' has two roles: viewer and admin.",
    ),
    "an unknown role": ({"groupRoles": [{"group": "a", "role": "boss"}]}, "'boss' is not a role."),
    "no domain": ({"domains": []}, "Enter at least one domain"),
    "an address": ({"domains": ["a@example.com"]}, "is not a domain"),
    "no role": ({"defaultRole": ""}, "everyone at the provider needs a role"),
    "no URL": ({"issuer": "example.com"}, "Enter the URL of the issuer"),
}


def test_settings_that_would_do_harm_are_refused(sign_on: SignOn, case: Case) -> None:
    for name, (values, reason) in INPUTS.items():
        with case(name), pytest.raises(InvalidInputError, match=reason.split("(")[0]):
            add_provider(sign_on.personas.alice, sign_on.real, **values)
    assert SignInProvider.objects.count() == 1


def test_the_pages_add_change_and_remove_a_provider(sign_on: SignOn) -> None:
    client = signed_in(sign_on.personas.alice)
    form = {
        "name": "Second",
        "issuer": sign_on.real.url,
        "client_id": "c",
        "client_secret": "s",
        "domains": "example.com, example.org",
        "group_roles": "front = end = reviewer\nleads=admin",
        "default_role": "viewer",
    }
    url = client.get("/members/sign-in/new")["Location"]
    assert f"https://app.test/sso/{url.rpartition('/')[2]}/callback" in text_of(client, url)
    response = client.post(url, form | {"group_roles": "front"})
    assert "is not like “group = role”" in response.content.decode()
    response = client.post(url, form)
    # The same form, sent twice.
    client.post(url, form)
    row = SignInProvider.objects.get(name="Second")
    assert response["Location"] == f"/members/sign-in/{row.pk}"
    assert row.group_roles == {"front = end": "reviewer", "leads": "admin"}
    page = text_of(client, f"/members/sign-in/{row.pk}")
    assert f"https://app.test/sso/{row.pk}/callback" in page
    assert "front = end = reviewer" in page
    client.post(f"/members/sign-in/{row.pk}/remove")
    assert "Second" not in text_of(client, "/members/sign-in").split("was removed")[1]
    assert signed_in(sign_on.personas.bob).get("/members/sign-in").status_code == 403


def test_a_provider_of_another_organization_is_not_found(sign_on: SignOn) -> None:
    client = signed_in(sign_on.personas.mallory)
    for provider_id in (sign_on.row.pk, "idp_x", "else"):
        assert client.get(f"/members/sign-in/{provider_id}").status_code == 404
        assert client.post(f"/members/sign-in/{provider_id}/remove").status_code == 404
    with pytest.raises(NotFoundError):
        add_provider(sign_on.personas.mallory, sign_on.real, providerId=sign_on.row.pk)


def test_a_person_without_a_password_confirms_at_the_provider(
    sign_on: SignOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_on.real.add_person("p1", email="pia@example.com")
    client, _ = sign_on.sign_in("p1")
    form = {"name": "laptop", "scope": "user"}
    assert client.post("/keys", form).status_code == 200
    later = time.time() + 16 * 60
    monkeypatch.setattr("visual_review.web.reauthentication.time.time", lambda: later)
    response = client.post("/keys", form)
    assert response["Location"] == "/sso?next=%2Fkeys&again=1"
    page = text_of(client, response["Location"])
    assert "Sign in once more" in page
    query = page.split(f"/sso/{sign_on.row.pk}?")[1].split('"')[0].replace("&amp;", "&")
    location = sign_on.start(client, **dict(part.split("=") for part in query.split("&")))
    assert "prompt=login" in location
    monkeypatch.undo()
    sign_on.come_back(client, location, "p1")
    assert client.post("/keys", form).status_code == 200
    assert ApiKey.objects.count() == 2


def test_the_named_owner_stays_an_owner(sign_on: SignOn) -> None:
    alice, bob = sign_on.personas.alice, sign_on.personas.bob
    sign_on.real.add_person("b1", email=bob.user.email)
    sign_on.sign_in("b1")
    require(alice, alice.user.pk)
    Membership.objects.filter(user=bob.user).update(role="owner")
    mine = Membership.objects.get(user=alice.user)
    with pytest.raises(ConflictError, match="may use a password"):
        act(bob, "change_member_role", membershipId=mine.pk, role="admin")
    with pytest.raises(ConflictError, match="may use a password"):
        act(bob, "remove_member", membershipId=mine.pk)


def test_a_removed_member_is_unknown_until_the_next_sign_in(sign_on: SignOn) -> None:
    sign_on.real.add_person("u1", email="uma@example.com")
    client, _ = sign_on.sign_in("u1")
    member = Membership.objects.get(user__email="uma@example.com")
    act(sign_on.personas.alice, "remove_member", membershipId=member.pk)
    assert not Identity.objects.exists()
    assert client.get("/account").status_code == 302
    # The address belongs to another person at the provider by now.
    sign_on.real.add_person("u2", email="uma@example.com")
    sign_on.sign_in("u2")
    assert Membership.objects.get(user__email="uma@example.com").role == "viewer"


def test_a_slow_provider_holds_few_threads(
    sign_on: SignOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "TURN_SECONDS", 0.01)
    monkeypatch.setitem(views.turns, sign_on.row.pk, BoundedSemaphore(1))
    with views.turns[sign_on.row.pk]:
        response = Client().get(f"/sso/{sign_on.row.pk}")
    assert response.status_code == 503
    assert "Many people are signing in with Company" in response.content.decode()
    assert Client().get(f"/sso/{sign_on.row.pk}").status_code == 302


def test_signing_out_leads_to_the_provider(sign_on: SignOn) -> None:
    sign_on.real.add_person("o1", email="olga@example.com")
    client, _ = sign_on.sign_in("o1")
    response = client.post("/sign-out")
    assert AuditEntry.objects.filter(verb="session.signed_out").count() == 1
    assert response["Location"] == f"/sign-in?signed_out={sign_on.row.pk}"
    page = text_of(client, response["Location"])
    assert f'href="/sso/{sign_on.row.pk}/sign-out"' in page
    location = client.get(f"/sso/{sign_on.row.pk}/sign-out")["Location"]
    assert location.startswith(f"{sign_on.real.url}/session/end?client_id=")
