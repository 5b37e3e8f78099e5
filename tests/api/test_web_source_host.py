"""The page of the source host, and the switch for identity tokens of a repository."""

import re
from itertools import product

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.host_accounts import ADDRESS, TOKEN, connect_account, host_world
from tests.support.pages import shown_secret, signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.models import Membership
from visual_review.audit.models import AuditEntry
from visual_review.kernel.encryption import decrypt
from visual_review.repositories.host_accounts import credentials_of
from visual_review.repositories.models import HostAccount, Repository

PAGE = "/source-host"
FORM = {"address": ADDRESS, "access": "memory-token", "token": TOKEN}
BUTTONS = {
    "": FORM,
    "/credentials": {"access": "memory-token", "token": "another"},
    "/check": {},
    "/webhook-secret": {},
    "/disconnect": {},
}


def posted(client: Client, button: str, fields: dict[str, str], status: int = 200) -> str:
    response = client.post(PAGE + button, fields, follow=True)
    assert response.status_code == status, response.content.decode()
    return response.content.decode()


def test_an_account_is_connected_and_its_webhook_secret_shown_once(personas: Personas) -> None:
    client = signed_in(personas.alice)
    assert "Connect an account" in text_of(client, PAGE)
    response = client.post(PAGE, FORM)
    account = HostAccount.objects.get()
    assert shown_secret(response.content) == decrypt(account.webhook_secret)
    assert "no-store" in response["Cache-Control"]
    assert f"/api/webhooks/hosts/{account.id}" in response.content.decode()
    page = text_of(client, PAGE)
    assert "The host accepts this account." in page
    assert decrypt(account.webhook_secret) not in page
    assert TOKEN not in page


def test_refused_credentials_are_told_and_never_shown_again(personas: Personas) -> None:
    host_world().revoke(TOKEN)
    page = posted(signed_in(personas.alice), "", FORM, 400)
    assert "does not accept" in page
    assert TOKEN not in page
    assert not HostAccount.objects.exists()


def test_a_private_key_is_not_written_into_the_page(personas: Personas, settings: Settings) -> None:
    settings.SOURCE_HOSTS = ("https://github.com",)
    fields = {"address": "https://github.com", "access": "github-app", "private_key": "PEM-SECRET"}
    page = posted(signed_in(personas.alice), "", fields, 400)
    assert "GitHub App needs this." in page
    assert "PEM-SECRET" not in page


UNFIT_CHOICES = (
    ("https://github.com", "gitlab-token", "not of that kind"),
    ("https://elsewhere.example", "github-token", "not one of the available"),
    ("https://github.com", "memory-token", "not one of the available"),
)


def test_a_choice_that_fits_no_host_is_refused_before_anything_is_asked(
    case: Case, personas: Personas, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ("https://github.com", "https://gitlab.com")
    client = signed_in(personas.alice)
    for address, access, words in UNFIT_CHOICES:
        with case(f"{address} {access}"):
            fields = {"address": address, "access": access, "token": TOKEN}
            assert words in posted(client, "", fields, 400)


def test_the_page_tells_problem_pause_and_what_is_linked(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    client = signed_in(personas.alice)
    client.post("/repositories", {"fullName": "acme/web"})
    Repository.objects.create(
        organization=personas.alice.organization, full_name="acme/lost", host_problem="<Gone>"
    )
    page = text_of(client, PAGE)
    assert "Linked" in page
    assert "&lt;Gone&gt;" in page
    HostAccount.objects.update(problem="The token was <revoked>.")
    assert "The token was &lt;revoked&gt;." in text_of(client, PAGE)
    HostAccount.objects.update(problem="", paused_until="2999-01-01T10:20:00Z")
    assert "not to be called before 10:20 UTC" in text_of(client, PAGE)


def test_checking_tells_what_the_host_says(personas: Personas) -> None:
    connect_account(personas.alice)
    client = signed_in(personas.alice)
    assert f"knows this account as {host_world().login}" in posted(client, "/check", {})
    host_world().revoke(TOKEN)
    assert "refuses the account" in posted(client, "/check", {})
    host_world().calm()
    host_world().disturb("busy")
    assert "does not answer now" in posted(client, "/check", {})


def test_new_credentials_are_checked_before_they_are_stored(personas: Personas) -> None:
    account = connect_account(personas.alice)
    client = signed_in(personas.alice)
    host_world().revoke("wrong")
    wrong = {"access": "memory-token", "token": "wrong"}
    assert "does not accept" in posted(client, "/credentials", wrong, 400)
    account.refresh_from_db()
    assert credentials_of(account) == {"token": TOKEN}
    posted(client, "/credentials", {"access": "memory-token", "token": "right"})
    account.refresh_from_db()
    assert credentials_of(account) == {"token": "right"}


def test_a_repository_the_host_does_not_answer_for_is_told_on_the_page(personas: Personas) -> None:
    connect_account(personas.alice)
    host_world().disturb("busy")
    response = signed_in(personas.alice).post("/repositories", {"fullName": "acme/web"})
    assert response.status_code == 400
    assert "does not answer now" in response.content.decode()


OFFER = "/repositories/at-host"


def test_names_of_the_host_are_offered_where_one_is_connected(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(personas.alice)
    assert OFFER not in text_of(client, "/repositories")
    connect_account(personas.alice, "acme/web", "acme/docs", "acme/shop")
    client.post("/repositories", {"fullName": "acme/web"})
    assert OFFER in text_of(client, "/repositories")
    page = client.post(OFFER, {"fullName": "acme/s", "defaultBranch": "trunk"}).content.decode()
    assert re.findall('<option value="([^"]*)">', page) == ["acme/docs", "acme/shop"]
    assert "reaches 2 repositories that are not connected here" in page
    # What was typed before stays.
    assert 'value="acme/s"' in page
    assert 'value="trunk"' in page
    # The page lies at another address now, and its form must still connect.
    assert '<form class="card__body form" method="post" action="/repositories">' in page
    monkeypatch.setattr("visual_review.web.views.repositories.MOST_OFFERED", 1)
    page = client.post(OFFER).content.decode()
    assert re.findall('<option value="([^"]*)">', page) == ["acme/docs"]
    assert "Only the first 1 by name" in page


def test_a_host_that_offers_no_names_is_told_on_the_page(personas: Personas) -> None:
    client = signed_in(personas.alice)
    response = client.post(OFFER)
    assert response.status_code == 400
    assert "No account at a source host is connected" in response.content.decode()
    account = connect_account(personas.alice)
    assert "reaches no repository" in client.post(OFFER).content.decode()
    host_world().revoke(TOKEN)
    response = client.post(OFFER)
    assert response.status_code == 400
    assert "refuses the account" in response.content.decode()
    account.refresh_from_db()
    assert account.problem == ""


def test_names_of_the_host_are_for_who_manages_repositories(case: Case, personas: Personas) -> None:
    connect_account(personas.alice, "acme/secret")
    client = signed_in(personas.bob)
    for role in ("viewer", "reviewer"):
        with case(role):
            Membership.objects.filter(user=personas.bob.user).update(role=role)
            assert OFFER not in text_of(client, "/repositories")
            response = client.post(OFFER)
            assert response.status_code == 403
            assert "acme/secret" not in response.content.decode()


def test_only_admins_and_owners_open_and_press(case: Case, personas: Personas) -> None:
    client = signed_in(personas.bob)
    for button, role in product(BUTTONS, ("viewer", "reviewer", "admin", "owner")):
        with case(f"{button or 'connect'} as {role}"):
            if button:
                connect_account(personas.alice)
            Membership.objects.filter(user=personas.bob.user).update(role=role)
            manages = role in {"admin", "owner"}
            assert client.get(PAGE).status_code == (200 if manages else 403)
            status = client.post(PAGE + button, BUTTONS[button]).status_code
            assert (status in {200, 302}) == manages
            assert AuditEntry.objects.exists() == manages
            if not manages:
                assert status == 403


def test_another_organization_sees_and_changes_its_own_alone(personas: Personas) -> None:
    connect_account(personas.alice)
    client = signed_in(personas.mallory)
    assert "Connect an account" in text_of(client, PAGE)
    posted(client, "/disconnect", {})
    assert HostAccount.objects.count() == 1


def test_identity_tokens_are_switched_on_for_an_issuer_of_the_host(
    personas: Personas, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ("https://github.com", "https://gitlab.com")
    repository = World(personas.alice).repository
    address = f"/repositories/{repository.id}/identity"
    client = signed_in(personas.alice)
    issuer = "https://token.actions.githubusercontent.com"
    page = client.post(address, {"issuer": issuer}, follow=True).content.decode()
    assert f'value="{issuer}" selected' in page
    repository.refresh_from_db()
    assert repository.identity_issuer == issuer
    assert AuditEntry.objects.get().after == {"issuer": issuer}
    # An issuer nobody named would make any key theirs.
    refused = client.post(address, {"issuer": "https://evil.example"}, follow=True)
    assert "is no issuer" in refused.content.decode()
    client.post(address, {"issuer": ""})
    repository.refresh_from_db()
    assert repository.identity_issuer == ""
    assert AuditEntry.objects.count() == 2


def test_identity_tokens_are_nobodys_to_switch_but_the_managers(
    personas: Personas, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ("https://gitlab.com",)
    repository = World(personas.alice).repository
    address = f"/repositories/{repository.id}/identity"
    payload = {"issuer": "https://gitlab.com"}
    assert signed_in(personas.bob).post(address, payload).status_code == 403
    assert signed_in(personas.mallory).post(address, payload).status_code == 404
    repository.refresh_from_db()
    assert repository.identity_issuer == ""
