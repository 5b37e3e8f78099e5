"""The pages for connecting apps, listing them and disconnecting one."""

import pytest
from django.test import Client
from oauth2_provider.models import Application
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.oauth.flow import Flow, new_client
from tests.support.pages import signed_in, text_of
from tests.support.personas import Persona, Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import Grant, Membership
from visual_review.accounts.oauth.grants import connect
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import UnauthenticatedError

DOCUMENT = "https://agent.example.com/client.json"


def connected(persona: Persona, name: str = "Test client", access: str = "changes") -> str:
    """Return the access token of an app authorized by the person."""
    flow = Flow.of(persona, new_client(client_name=name))
    return str(flow.tokens(persona, access)["access_token"])


def disconnect(client: Client, grant: Grant | None = None) -> int:
    pk = (grant or Grant.objects.get()).pk
    return client.post(f"/account/apps/{pk}/disconnect").status_code


def in_another_organization(person: Persona, other: Persona) -> Persona:
    Membership.objects.create(user=person.user, organization=other.organization, role="viewer")
    return Persona(person.user, other.organization)


def test_the_examples_contain_the_url_of_this_server(
    personas: Personas, settings: Settings
) -> None:
    settings.PUBLIC_URL = "https://reviews.acme.example"
    page = text_of(signed_in(personas.carol), "/account/apps/connect")
    assert "claude mcp add --transport http visual-review https://reviews.acme.example" in page
    assert page.count("https://reviews.acme.example/api/mcp") == 14
    assert "plain HTTP" not in page
    settings.PUBLIC_URL = "http://reviews.acme.example"
    assert "plain HTTP" in text_of(signed_in(personas.carol), "/account/apps/connect")


def test_people_without_an_organization_see_the_pages_too(personas: Personas) -> None:
    Membership.objects.filter(user=personas.carol.user).delete()
    client = signed_in(personas.carol)
    assert "Another client" in text_of(client, "/account/apps/connect")
    assert "No connected apps" in text_of(client, "/account/apps")


def test_the_list_shows_app_organization_access_and_last_use(personas: Personas) -> None:
    token = connected(personas.bob, "<b>Agent</b>")
    client = signed_in(personas.bob)
    page = text_of(client, "/account/apps")
    assert "&lt;b&gt;Agent&lt;/b&gt;" in page
    assert "self-registered" in page
    assert "unverified name" in page
    assert "Acme" in page
    assert "Read and change" in page
    assert ">never<" in page
    caller_of_bearer(token)
    assert ">never<" not in text_of(client, "/account/apps")


def test_a_client_with_a_metadata_document_is_identified_by_its_host(personas: Personas) -> None:
    application = Application.objects.create(
        client_id=DOCUMENT,
        name="Agent",
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.CIMD,
    )
    connect(personas.bob.caller, application, "read", "read")
    page = text_of(signed_in(personas.bob), "/account/apps")
    assert "identified by agent.example.com" in page
    assert "Read-only" in page
    assert "unverified" not in page


def test_disconnecting_takes_effect_on_the_next_call(personas: Personas) -> None:
    token = connected(personas.bob)
    assert caller_of_bearer(token).id == personas.bob.user.id
    client = signed_in(personas.bob)
    page = client.post(f"/account/apps/{Grant.objects.get().pk}/disconnect", follow=True)
    assert "Test client was disconnected" in page.content.decode()
    assert "No connected apps" in page.content.decode()
    with pytest.raises(UnauthenticatedError):
        caller_of_bearer(token)
    entry = AuditEntry.objects.get(verb="app.disconnected")
    assert (entry.actor_id, entry.channel) == (personas.bob.user.id, "web")


def test_disconnecting_requires_a_csrf_token(personas: Personas) -> None:
    connected(personas.bob)
    forger = Client(enforce_csrf_checks=True)
    forger.force_login(personas.bob.user)
    assert disconnect(forger) == 403
    assert Grant.objects.get().disconnected_at is None


def test_an_app_in_another_organization_is_disconnected_without_switching(
    personas: Personas,
) -> None:
    there = in_another_organization(personas.bob, personas.mallory)
    token = connected(there, access="read")
    client = signed_in(personas.bob)
    assert "Evil Corp" in text_of(client, "/account/apps")
    assert disconnect(client) == 302
    with pytest.raises(UnauthenticatedError):
        caller_of_bearer(token)
    entry = AuditEntry.objects.get(verb="app.disconnected")
    assert entry.organization_id == personas.mallory.organization.id


def test_managers_of_keys_see_and_disconnect_the_apps_of_members(personas: Personas) -> None:
    token = connected(personas.bob)
    connected(in_another_organization(personas.bob, personas.mallory), "Elsewhere", "read")
    owner = signed_in(personas.alice)
    page = text_of(owner, "/account/apps")
    assert "Apps of other members of Acme" in page
    assert 'Disconnect<span class="visually-hidden"> Test client of Bob</span>' in page
    assert "Elsewhere" not in page
    assert disconnect(owner, Grant.objects.get(organization=personas.bob.organization)) == 302
    with pytest.raises(UnauthenticatedError):
        caller_of_bearer(token)


def test_a_disconnected_app_is_not_found(personas: Personas) -> None:
    connected(personas.bob)
    client = signed_in(personas.bob)
    assert (disconnect(client), disconnect(client)) == (302, 404)
    assert (
        client.post("/account/apps/grant_00000000000000000000000000/disconnect").status_code == 404
    )
    assert client.post("/account/apps/%00/disconnect").status_code == 404


def test_the_account_page_links_to_the_apps_and_the_instructions(personas: Personas) -> None:
    page = text_of(signed_in(personas.carol), "/account")
    assert 'href="/account/apps"' in page
    assert 'href="/account/apps/connect"' in page
    assert 'href="/account/apps/connect"' in text_of(signed_in(personas.carol), "/keys")


INVALID_REQUESTS: tuple[tuple[dict[str, str | None], str], ...] = (
    ({"client_id": None}, "it has no client ID"),
    ({"client_id": "client_00000000000000000000000000"}, "its client ID is unknown"),
    ({"redirect_uri": "https://evil.example/"}, "its redirect URI is not registered"),
    ({"redirect_uri": "not a URL"}, "its redirect URI is not registered"),
)


def test_requests_that_cannot_be_redirected_get_an_error_page(
    case: Case, personas: Personas
) -> None:
    for changes, message in INVALID_REQUESTS:
        with case(changes):
            response = Flow.of(personas.bob).ask(**changes)
            page = response.content.decode()
            assert response.status_code == 400
            assert message in page
            assert "remove this service from the" in page
            assert "evil.example" not in page
