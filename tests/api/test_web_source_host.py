"""The page of the Git provider, and the settings of a repository."""

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
from visual_review.repositories.boolean_settings import BOOLEAN_SETTINGS
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


def post_button(client: Client, button: str, fields: dict[str, str], status: int = 200) -> str:
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
    assert "The Git provider accepts this account." in page
    assert decrypt(account.webhook_secret) not in page
    assert TOKEN not in page


def test_rejected_credentials_show_an_error_and_are_not_repeated(personas: Personas) -> None:
    host_world().revoke(TOKEN)
    page = post_button(signed_in(personas.alice), "", FORM, 400)
    assert "does not accept" in page
    assert TOKEN not in page
    assert not HostAccount.objects.exists()


def test_a_private_key_is_not_written_into_the_page(personas: Personas, settings: Settings) -> None:
    settings.SOURCE_HOSTS = ("https://github.com",)
    fields = {"address": "https://github.com", "access": "github-app", "private_key": "PEM-SECRET"}
    page = post_button(signed_in(personas.alice), "", fields, 400)
    assert "GitHub App requires this field." in page
    assert "PEM-SECRET" not in page


INVALID_CHOICES = (
    ("https://github.com", "gitlab-token", "does not support this kind"),
    ("https://elsewhere.example", "github-token", "not one of the available"),
    ("https://github.com", "memory-token", "not one of the available"),
)


def test_an_invalid_choice_is_rejected_before_any_request(
    case: Case, personas: Personas, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ("https://github.com", "https://gitlab.com")
    client = signed_in(personas.alice)
    for url, access, message in INVALID_CHOICES:
        with case(f"{url} {access}"):
            fields = {"address": url, "access": access, "token": TOKEN}
            assert message in post_button(client, "", fields, 400)


def test_the_page_shows_problem_pause_and_linked_repositories(personas: Personas) -> None:
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
    page = text_of(client, PAGE)
    assert re.search(r"asked for no requests before <time [^>]*>01 Jan 2999, 10:20:00</time>", page)
    assert 'title="1 January 2999, 10:20 UTC"' in page


def test_checking_shows_the_response_of_the_provider(personas: Personas) -> None:
    connect_account(personas.alice)
    client = signed_in(personas.alice)
    assert f"The account is {host_world().login}" in post_button(client, "/check", {})
    host_world().revoke(TOKEN)
    assert "rejects the connected account" in post_button(client, "/check", {})
    host_world().clear_faults()
    host_world().add_fault("busy")
    assert "is not available" in post_button(client, "/check", {})


def test_new_credentials_are_checked_before_they_are_stored(personas: Personas) -> None:
    account = connect_account(personas.alice)
    client = signed_in(personas.alice)
    host_world().revoke("wrong")
    wrong = {"access": "memory-token", "token": "wrong"}
    assert "does not accept" in post_button(client, "/credentials", wrong, 400)
    account.refresh_from_db()
    assert credentials_of(account) == {"token": TOKEN}
    post_button(client, "/credentials", {"access": "memory-token", "token": "right"})
    account.refresh_from_db()
    assert credentials_of(account) == {"token": "right"}


def test_connecting_shows_an_error_while_the_provider_is_down(personas: Personas) -> None:
    connect_account(personas.alice)
    host_world().add_fault("busy")
    response = signed_in(personas.alice).post("/repositories", {"fullName": "acme/web"})
    assert response.status_code == 400
    assert "is not available" in response.content.decode()


SUGGESTIONS = "/repositories/at-host"


def test_repositories_of_a_connected_provider_are_suggested(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(personas.alice)
    assert SUGGESTIONS not in text_of(client, "/repositories")
    connect_account(personas.alice, "acme/web", "acme/docs", "acme/shop")
    client.post("/repositories", {"fullName": "acme/web"})
    assert SUGGESTIONS in text_of(client, "/repositories")
    page = client.post(
        SUGGESTIONS, {"fullName": "acme/s", "defaultBranch": "trunk"}
    ).content.decode()
    assert re.findall('<option value="(acme[^"]*)">', page) == ["acme/docs", "acme/shop"]
    assert "can access 2 repositories that are not connected yet" in page
    # The typed values are kept.
    assert 'value="acme/s"' in page
    assert 'value="trunk"' in page
    # The page has another URL now, and its form must still connect.
    assert '<form class="card__body form" method="post" action="/repositories">' in page
    monkeypatch.setattr("visual_review.web.views.repositories.MAX_SUGGESTIONS", 1)
    page = client.post(SUGGESTIONS).content.decode()
    assert re.findall('<option value="(acme[^"]*)">', page) == ["acme/docs"]
    assert "only the first 1 in alphabetical order" in page


def test_a_provider_without_suggestions_shows_a_message(personas: Personas) -> None:
    client = signed_in(personas.alice)
    response = client.post(SUGGESTIONS)
    assert response.status_code == 400
    assert "No account at a Git provider is connected" in response.content.decode()
    account = connect_account(personas.alice)
    assert "can access are connected already" in client.post(SUGGESTIONS).content.decode()
    host_world().revoke(TOKEN)
    response = client.post(SUGGESTIONS)
    assert response.status_code == 400
    assert "rejects the connected account" in response.content.decode()
    account.refresh_from_db()
    assert account.problem == ""


def test_suggestions_require_permission_to_manage_repositories(
    case: Case, personas: Personas
) -> None:
    connect_account(personas.alice, "acme/secret")
    client = signed_in(personas.bob)
    for role in ("viewer", "reviewer"):
        with case(role):
            Membership.objects.filter(user=personas.bob.user).update(role=role)
            assert SUGGESTIONS not in text_of(client, "/repositories")
            response = client.post(SUGGESTIONS)
            assert response.status_code == 403
            assert "acme/secret" not in response.content.decode()


def test_only_admins_and_owners_can_use_the_page(case: Case, personas: Personas) -> None:
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


def test_another_organization_sees_and_changes_only_its_own(personas: Personas) -> None:
    connect_account(personas.alice)
    client = signed_in(personas.mallory)
    assert "Connect an account" in text_of(client, PAGE)
    post_button(client, "/disconnect", {})
    assert HostAccount.objects.count() == 1


def test_identity_tokens_are_enabled_for_an_issuer_of_the_provider(
    personas: Personas, settings: Settings
) -> None:
    settings.SOURCE_HOSTS = ("https://github.com", "https://gitlab.com")
    repository = World(personas.alice).repository
    url = f"/repositories/{repository.id}/identity"
    client = signed_in(personas.alice)
    issuer = "https://token.actions.githubusercontent.com"
    page = client.post(url, {"issuer": issuer}, follow=True).content.decode()
    assert f'value="{issuer}" selected' in page
    repository.refresh_from_db()
    assert repository.identity_issuer == issuer
    assert AuditEntry.objects.get().after == {"issuer": issuer}
    # An arbitrary issuer could sign with any key.
    refused = client.post(url, {"issuer": "https://evil.example"}, follow=True)
    assert "is not an issuer" in refused.content.decode()
    client.post(url, {"issuer": ""})
    repository.refresh_from_db()
    assert repository.identity_issuer == ""
    assert AuditEntry.objects.count() == 2


def test_only_managers_can_enable_identity_tokens(personas: Personas, settings: Settings) -> None:
    settings.SOURCE_HOSTS = ("https://gitlab.com",)
    repository = World(personas.alice).repository
    url = f"/repositories/{repository.id}/identity"
    payload = {"issuer": "https://gitlab.com"}
    assert signed_in(personas.bob).post(url, payload).status_code == 403
    assert signed_in(personas.mallory).post(url, payload).status_code == 404
    repository.refresh_from_db()
    assert repository.identity_issuer == ""


def test_an_automatic_axis_stays_automatic_when_the_other_is_chosen(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.id}"
    page = text_of(client, f"{url}/settings")
    assert page.count("all, until detected") == 2
    assert page.count('type="checkbox" name="devices"') == page.count('name="devices" value="') == 3
    shown = {"themes": ["dark"], "devices": ["phone", "tablet", "desktop"]}
    client.post(f"{url}/capture", {"productKey": "default", **shown})
    product = world.repository.products.get()
    assert (product.themes, product.devices) == (["dark"], None)
    page = text_of(client, f"{url}/settings")
    assert page.count("chosen here") == page.count("all, until detected") == 1
    # A chosen value stays chosen, even if the boxes are unchanged.
    client.post(f"{url}/capture", {"productKey": "default", **shown})
    product.refresh_from_db()
    assert (product.themes, product.devices) == (["dark"], None)
    client.post(f"{url}/capture", {"productKey": "default", "devices": shown["devices"]})
    product.refresh_from_db()
    assert (product.themes, product.devices) == (None, None)


def test_the_index_leads_to_each_section(personas: Personas) -> None:
    world = World(personas.alice)
    page = text_of(signed_in(personas.alice), f"/repositories/{world.repository.id}/settings")
    index = page[
        page.index("settings__index") : page.index("</nav>", page.index("settings__index"))
    ]
    targets = re.findall(r'href="#([^"]+)"', index)
    assert len(targets) == 9 + len(BOOLEAN_SETTINGS)
    assert all(f'id="{target}"' in page for target in targets)
