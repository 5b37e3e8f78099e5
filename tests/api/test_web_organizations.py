"""Pages for people with several organizations, and inviting people from the Git provider."""

from html import unescape

import pytest
from django.core import mail
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.every_page import one_of_everything, page_urls
from tests.support.host_accounts import TOKEN, connect_account, host_world
from tests.support.hosts.contract import people
from tests.support.mcp.endpoint import open_endpoint
from tests.support.oauth.flow import Flow, new_client
from tests.support.pages import sign_in, signed_in, text_of
from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.invitations import open_invitations
from visual_review.accounts.models import Invitation, Membership, Organization
from visual_review.audit.models import AuditEntry
from visual_review.hosts.port import HostPerson
from visual_review.web.views.members import _origin

SWITCH = "/account/organization"
NEW = "/account/organizations/new"


@pytest.fixture
def globex(personas: Personas) -> Organization:
    """A second organization, owned by Bob; his first is Acme."""
    organization = Organization.objects.create(name="Globex")
    Membership.objects.create(organization=organization, user=personas.bob.user, role="owner")
    return organization


def current_of(client: Client) -> str:
    return str(client.get("/repositories").context["organization"].name)


def switch(client: Client, organization: Organization) -> None:
    assert client.post(SWITCH, {"organization": organization.id}).status_code == 302


def test_without_the_operators_permission_there_is_no_page(personas: Personas) -> None:
    client = signed_in(personas.bob)
    for response in (client.get(NEW), client.post(NEW, {"organization_name": "Globex"})):
        assert response.status_code == 403
        assert "Only the operator of this service" in unescape(response.content.decode())
    assert NEW not in text_of(client, "/account")
    assert not Organization.objects.filter(name="Globex").exists()


def test_a_person_creates_an_organization_and_is_in_it(
    personas: Personas, settings: Settings
) -> None:
    settings.ORGANIZATION_CREATION = True
    client = signed_in(personas.carol)
    assert text_of(client, "/repositories").count(f'href="{NEW}"') == 1
    assert text_of(client, "/account").count(f'href="{NEW}"') == 2
    refused = client.post(NEW, {"organization_name": "a\u2028b"})
    assert refused.status_code == 400
    assert "printable characters" in refused.content.decode()
    page = client.post(NEW, {"organization_name": "Globex"}, follow=True).content.decode()
    assert "Globex was created. You are its owner." in page
    assert current_of(client) == "Globex"
    assert Membership.objects.get(organization__name="Globex").role == "owner"
    # The audit log of each organization has only its own entries.
    assert "organization.created" in text_of(client, "/audit?verb=organization.")
    acme = personas.carol.organization
    assert not AuditEntry.objects.filter(organization_id=acme.id, verb__startswith="org").exists()
    page = client.post(NEW, {"organization_name": "Globex"}, follow=True).content.decode()
    assert "Globex exists already." in page
    assert Organization.objects.filter(name="Globex").count() == 1


def test_a_person_without_an_organization_can_create_one(
    personas: Personas, settings: Settings
) -> None:
    settings.ORGANIZATION_CREATION = True
    Membership.objects.filter(user=personas.carol.user).delete()
    client = signed_in(personas.carol)
    assert "choose New organization in the account menu" in client.get("/members").content.decode()
    assert NEW in text_of(client, "/account")
    client.post(NEW, {"organization_name": "Globex"})
    assert current_of(client) == "Globex"


def test_a_form_acts_on_the_organization_of_its_page(
    personas: Personas, globex: Organization
) -> None:
    client = signed_in(personas.bob)
    switch(client, globex)
    form = client.get("/members").context["organization_field"]
    assert globex.id in form
    assert form in text_of(client, "/members")
    switch(client, personas.bob.organization)
    values = {"email": "dana@example.com", "role": "viewer", "organization_id": globex.id}
    page = client.post("/members", values).content.decode()
    assert Invitation.objects.get().organization == globex
    assert "The form belongs to Globex, so you are in Globex again." in page
    assert current_of(client) == "Globex"


def test_a_form_of_an_organization_that_the_person_left_changes_nothing(
    personas: Personas, globex: Organization
) -> None:
    client = signed_in(personas.bob)
    switch(client, globex)
    globex.memberships.all().delete()
    Membership.objects.filter(user=personas.bob.user).update(role="owner")
    for organization in (globex.id, personas.mallory.organization.id, "org_unknown"):
        values = {"email": "dana@example.com", "role": "viewer", "organization_id": organization}
        response = client.post("/members", values)
        assert response.status_code == 403
        assert (
            "Your membership in the organization of this form has ended"
            in response.content.decode()
        )
    assert not Invitation.objects.exists()


def test_what_is_in_another_own_organization_offers_to_switch(
    case: Case, personas: Personas
) -> None:
    ids = one_of_everything(personas)
    urls = page_urls(ids)
    mallory = personas.mallory
    acme = personas.alice.organization
    Membership.objects.create(organization=acme, user=mallory.user, role="owner")
    client = signed_in(mallory)
    assert current_of(client) == "Evil Corp"
    for name, kind in (
        ("repository", "repository"),
        ("repository_settings", "repository"),
        ("build", "build"),
        ("baseline", "baseline"),
        ("recording", "recording"),
        ("composite", "screenshot"),
        ("revoke_key", "API key"),
        ("remove_member", "member"),
    ):
        with case(name):
            response = client.get(urls[name])
            assert response.status_code == 404
            page = response.content.decode()
            assert f"This {kind} belongs to Acme." in page
            assert "Switch to Acme" in page
    undo = {"requestId": "r" * 20, "decisionId": "decision_x"}
    for name, response in (
        ("build_index", client.get(urls["build_index"])),
        ("build_events", client.get(urls["build_events"])),
        ("undo_decision", client.post(urls["undo_decision"], undo, "application/json")),
    ):
        with case(name):
            assert response.status_code == 404
            assert response.json()["error"].startswith("This build belongs to Acme. You switched")
    before = AuditEntry.objects.count()
    page = client.post(urls["restore_baseline"], {"version": "1"}).content.decode()
    assert "Nothing was changed." in page
    assert AuditEntry.objects.count() == before
    response = client.post(SWITCH, {"organization": acme.id, "next": urls["build"]})
    assert response["Location"] == urls["build"]
    assert client.get(urls["build"]).status_code == 200


def test_others_see_the_same_for_unknown_and_foreign_ids(
    personas: Personas, globex: Organization
) -> None:
    assert globex
    build = World(personas.mallory).publish({"a": "red"})
    client = signed_in(personas.bob)
    foreign, unknown = (client.get(f"/builds/{found}") for found in (build.id, build.id[:-1] + "0"))
    assert foreign.status_code == unknown.status_code == 404
    assert b"Evil Corp" not in foreign.content
    assert b"Switch to" not in foreign.content.split(b"</header>")[1]


def test_a_link_opened_by_signing_in_leads_to_its_organization(
    personas: Personas, globex: Organization
) -> None:
    build = World(Persona(personas.bob.user, globex)).publish({"a": "red"})
    browser = Client()
    url = f"/builds/{build.id}?show=all"
    asked = browser.get(url)
    assert asked["Location"].startswith("/sign-in?next=")
    signed = sign_in(browser, "bob@example.com", next=url)
    assert signed["Location"] == url
    response = browser.get(url, follow=True)
    assert response.status_code == 200
    assert response.context["organization"] == globex
    # Later links ask: a page of the other organization may be open.
    other = World(personas.alice).publish({"a": "red"})
    assert browser.get(f"/builds/{other.id}").status_code == 404
    assert current_of(browser) == "Globex"


def test_a_switch_leads_only_to_pages_of_this_service(
    case: Case, personas: Personas, globex: Organization
) -> None:
    client = signed_in(personas.bob)
    for wanted in ("https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"):
        with case(wanted):
            response = client.post(SWITCH, {"organization": globex.id, "next": wanted})
            assert response["Location"] == "/"


def test_a_removed_person_lands_in_another_organization_and_sees_why(
    case: Case, personas: Personas, globex: Organization
) -> None:
    for name, chosen in (("chosen", globex), ("by default", personas.bob.organization)):
        with case(name):
            client = signed_in(personas.bob)
            if chosen == globex:
                switch(client, globex)
            assert current_of(client) == chosen.name
            place = Membership.objects.get(user=personas.bob.user, organization=chosen)
            place.delete()
            page = text_of(client, "/repositories")
            assert f"Your membership in {chosen.name} has ended. You are in " in page
            assert "has ended" not in text_of(client, "/repositories")
            place.save(force_insert=True)


def test_an_app_is_authorized_for_the_organization_that_is_chosen(
    personas: Personas, globex: Organization
) -> None:
    flow = Flow.of(personas.bob, new_client())
    page = flow.ask().content.decode()
    assert page.count('type="radio" name="organization"') == 2
    assert "There you can view, approve, reject and manage repositories." in page
    World(Persona(personas.bob.user, globex), "globex/web")
    World(personas.alice, "acme/web")
    for persona, name in (
        (Persona(personas.bob.user, globex), "globex/web"),
        (personas.bob, "acme/web"),
    ):
        token = flow.tokens(persona)["access_token"]
        assert caller_of_bearer(token).organization_id == persona.organization.id
        with open_endpoint() as endpoint:
            found = endpoint.call(token, "list_repos", {})["structuredContent"]["repos"]
        assert [repository["fullName"] for repository in found] == [name]


def test_a_key_acts_in_the_organization_of_its_page(
    personas: Personas, globex: Organization
) -> None:
    World(Persona(personas.bob.user, globex), "globex/web")
    World(personas.alice, "acme/web")
    client = signed_in(personas.bob)
    for organization, repository in (
        (globex, "globex/web"),
        (personas.bob.organization, "acme/web"),
    ):
        switch(client, organization)
        page = client.post("/keys", {"name": "laptop", "scope": "user"})
        key = page.context["key"]
        headers = {"Authorization": f"Bearer {key}"}
        response = Client().post(
            "/api/rest/actions/list_repos", {}, content_type="application/json", headers=headers
        )
        assert [each["fullName"] for each in response.json()["result"]["repos"]] == [repository]


PAGE = "/members/invite"


@pytest.fixture
def team(personas: Personas) -> list[HostPerson]:
    connect_account(personas.alice)
    everyone = people(5)
    host_world().add_group("orgs/acme", "acme", *everyone)
    bob = HostPerson("bob", "Bob", personas.bob.user.email.upper(), "")
    host_world().add_group("teams/1", "acme/design", bob)
    return everyone


def test_people_of_a_group_are_invited_with_one_role(
    personas: Personas, team: list[HostPerson], settings: Settings
) -> None:
    settings.EMAIL_CONFIGURED = True
    client = signed_in(personas.alice)
    assert "Invite from the Git provider" in text_of(client, "/members")
    response = client.get(PAGE)
    page = response.content.decode()
    assert "Person 0" in page
    assert f'src="{team[1].avatar}"' in page
    assert "img-src 'self' https://avatars.test;" in response["Content-Security-Policy"]
    assert "?group=orgs%2Facme&amp;page=2" in page
    form = {
        "person": ["person-0", "person-1", "person-2"],
        "email-person-0": "zero@example.com",
        "email-person-1": team[1].email,
        "email-person-2": "",
        "email-person-4": "not-chosen@example.com",
        "role": "reviewer",
    }
    result = client.post(PAGE, form).content.decode()
    assert "2 people are invited" in result
    assert "person-2 is not invited" in result
    assert sorted(each.to[0] for each in mail.outbox) == [
        "person-1@example.com",
        "zero@example.com",
    ]
    rows = open_invitations(personas.alice.organization.id)
    assert {row.role for row in rows} == {"reviewer"}
    assert rows.count() == 2


def test_members_are_marked_and_pages_follow(personas: Personas, team: list[HostPerson]) -> None:
    client = signed_in(personas.alice)
    page = text_of(client, f"{PAGE}?group=teams/1")
    assert "Member" in page
    assert 'value="bob"' not in client.get(f"{PAGE}?group=teams/1").content.decode()
    assert team[4].login in text_of(client, f"{PAGE}?group=orgs/acme&page=2")
    assert client.get(f"{PAGE}?group=../admin").status_code == 404


def test_what_keeps_people_from_being_listed_is_named(
    personas: Personas, team: list[HostPerson]
) -> None:
    client = signed_in(personas.alice)
    assert (
        "Choose at least one person"
        in client.post(PAGE, {"role": "viewer"}, follow=True).content.decode()
    )
    host_world().revoke(TOKEN)
    response = client.get(PAGE)
    assert response.status_code == 400
    assert "Members: read-only" in response.content.decode()
    assert team


def test_an_account_without_organizations_is_named(personas: Personas) -> None:
    connect_account(personas.alice)
    assert "belongs to no organization" in text_of(signed_in(personas.alice), PAGE)


def test_only_owners_see_the_people(personas: Personas, team: list[HostPerson]) -> None:
    assert team
    Membership.objects.filter(user=personas.bob.user).update(role="admin")
    client = signed_in(personas.bob)
    assert client.get(PAGE).status_code == 403
    assert "Invite from" not in text_of(client, "/members")


def test_without_an_account_nothing_can_be_listed(personas: Personas) -> None:
    assert signed_in(personas.alice).get(PAGE).status_code == 409


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://avatars.githubusercontent.com/u/1?v=4", "https://avatars.githubusercontent.com"),
        ("http://gitea.local:3000/avatars/1", "http://gitea.local:3000"),
        ("https://evil.test; script-src *", "'self'"),
        ("https://evil.test'unsafe-inline'/", "'self'"),
        ("", "'self'"),
    ],
)
def test_origins_of_avatars_add_no_directive(url: str, origin: str) -> None:
    assert _origin(url) == origin
