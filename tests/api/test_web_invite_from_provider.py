"""Inviting people from the organization at the connected Git provider."""

import pytest
from django.core import mail
from pytest_django.fixtures import Settings

from tests.support.host_accounts import TOKEN, connect_account, host_world
from tests.support.hosts.contract import people
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from visual_review.accounts.invitations import open_invitations
from visual_review.accounts.models import Membership
from visual_review.hosts.port import HostPerson
from visual_review.web.views.members import _origin

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
