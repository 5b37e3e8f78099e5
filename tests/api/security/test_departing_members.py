"""What removed or demoted members can still use of everything they created and saw."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.pages import path_of, signed_in, text_of
from tests.support.personas import Persona, Personas
from visual_review.accounts.invitations import invitation_of_link
from visual_review.accounts.links import password_link
from visual_review.accounts.models import ApiKey, Membership
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import NotFoundError

PERMISSIONS = ["repos:view", "repos:manage"]


def act(persona: Persona, action: str, /, **payload: object) -> Any:  # noqa: ANN401 - Each action has its own result.
    return dispatch(any_action(action), persona.caller, payload)


def create_key(persona: Persona, name: str) -> str:
    return str(
        act(persona, "create_api_key", scope="organization", name=name, permissions=PERMISSIONS).key
    )


def may_call(key: str) -> bool:
    return call(key, "list_repos", {}).status_code == 200


@pytest.fixture
def admin(personas: Personas) -> Persona:
    """Bob, an owner next to Alice, with credentials of his for later."""
    Membership.objects.filter(user=personas.bob.user).update(role="owner")
    return personas.bob


def member_page(persona: Persona, operation: str) -> str:
    return f"/members/{Membership.objects.get(user=persona.user).id}/{operation}"


# How an owner parts with Bob: the URL's end and the fields of its form.
PARTINGS = {
    "removed": ("remove", {}),
    "demoted": ("role", {"role": "viewer", "confirmed": "yes"}),
}


@pytest.mark.parametrize("parting", PARTINGS)
def test_the_keys_of_the_organization_that_they_created_are_revoked_unless_kept(
    personas: Personas, admin: Persona, parting: str
) -> None:
    revoked, kept, other = (
        create_key(admin, "dashboard"),
        create_key(admin, "release"),
        create_key(personas.alice, "hers"),
    )
    operation, fields = PARTINGS[parting]
    keep = ApiKey.objects.get(name="release").id
    foreign = ApiKey.objects.get(name="hers").id
    client = signed_in(personas.alice)
    client.post(member_page(admin, operation), {**fields, "keep": [keep, foreign, "key_x"]})
    assert [may_call(key) for key in (revoked, kept, other)] == [False, True, True]
    entry = AuditEntry.objects.get(verb="api_key.revoked")
    assert (entry.target_name, entry.actor_id) == ("dashboard", personas.alice.user.id)


@pytest.mark.parametrize("parting", PARTINGS)
def test_the_page_lists_what_they_created_and_saw_before_anything_happens(
    personas: Personas, admin: Persona, parting: str
) -> None:
    key = create_key(admin, "dashboard")
    act(admin, "connect_repo", fullName="acme/web")
    act(admin, "invite_member", email="bobs.friend@example.com", role="owner")
    operation, fields = PARTINGS[parting]
    client, url = signed_in(personas.alice), member_page(admin, operation)
    page = (
        client.post(url, {"role": fields["role"]}).content.decode()
        if fields
        else text_of(client, url)
    )
    keep = ApiKey.objects.get().id
    assert f'name="keep" value="{keep}"' in page
    # Above the content, the header has the choice of a theme.
    _, content = page.split('<main id="content"')
    assert "checked" not in content
    for text in ("dashboard", "acme/web", "1 pending invitation"):
        assert text in page
    assert may_call(key)
    assert Membership.objects.get(user=admin.user).role == "owner"
    # The list of credentials seen by a person is for owners.
    assert "dashboard" not in signed_in(personas.carol).get(url).content.decode()


@pytest.mark.parametrize("parting", PARTINGS)
def test_their_open_invitations_are_revoked(
    personas: Personas, admin: Persona, parting: str
) -> None:
    secret = act(admin, "invite_member", email="me.again@example.com", role="owner").secret
    operation, fields = PARTINGS[parting]
    signed_in(personas.alice).post(member_page(admin, operation), fields)
    with pytest.raises(NotFoundError):
        invitation_of_link(secret)
    assert AuditEntry.objects.filter(verb="invitation.revoked").count() == 1


@pytest.mark.parametrize("parting", PARTINGS)
def test_password_links_that_they_created_for_others_stop_working(
    personas: Personas, admin: Persona, parting: str
) -> None:
    payload = {"membershipId": Membership.objects.get(user=personas.carol.user).id}
    made = act(admin, "create_password_link", **payload)
    hers = act(personas.alice, "create_password_link", **payload)
    operation, fields = PARTINGS[parting]
    signed_in(personas.alice).post(member_page(admin, operation), fields)
    for token in (made.token, hers.token):
        page = text_of(Client(), path_of(password_link(made.user_id, token)))
        assert "This link no longer works" in page


@pytest.mark.parametrize("parting", PARTINGS)
def test_the_project_tokens_they_saw_are_listed_until_each_is_rotated(
    personas: Personas, admin: Persona, parting: str
) -> None:
    tokens_that_bob_saw(personas, admin)
    operation, fields = PARTINGS[parting]
    client = signed_in(personas.alice)
    response = client.post(member_page(admin, operation), fields)
    url = f"/members/tokens/{admin.user.id}"
    assert response["Location"] == url
    assert listed(client, url) == ["acme/by-key", "acme/by-personal-key", "acme/connected"]
    for path in re.findall(r'action="(/repositories/[^"]+/token)"', text_of(client, url)):
        client.post(path)
    assert listed(client, url) == []
    assert "Nothing left to rotate" in text_of(client, url)


def tokens_that_bob_saw(personas: Personas, admin: Persona) -> None:
    act(admin, "connect_repo", fullName="acme/connected")
    call(create_key(admin, "k"), "connect_repo", {"fullName": "acme/by-key"})
    call(user_key(admin), "connect_repo", {"fullName": "acme/by-personal-key"})
    # Rotated by Alice since, connected by her, and of another organization.
    rotated = act(admin, "connect_repo", fullName="acme/rotated").repo.id
    act(personas.alice, "rotate_repo_token", repoId=rotated)
    act(personas.alice, "connect_repo", fullName="acme/hers")
    act(personas.mallory, "connect_repo", fullName="evil/web")


def listed(client: Client, url: str) -> list[str]:
    return re.findall(r'class="table__main">([^<]+)</td>', text_of(client, url))


def test_the_tokens_that_someone_saw_are_shown_to_owners_of_the_organization_only(
    case: Case, personas: Personas, admin: Persona
) -> None:
    tokens_that_bob_saw(personas, admin)
    url = f"/members/tokens/{admin.user.id}"
    Membership.objects.filter(user=admin.user).update(role="admin")
    with case("an admin"):
        assert signed_in(admin).get(url).status_code == 403
    with case("a viewer"):
        assert signed_in(personas.carol).get(url).status_code == 403
    with case("another organization"):
        assert listed(signed_in(personas.mallory), url) == []


def test_a_higher_role_and_a_member_without_credentials_need_no_confirmation(
    personas: Personas,
) -> None:
    client = signed_in(personas.alice)
    for role in ("owner", "viewer"):
        client.post(member_page(personas.bob, "role"), {"role": role})
        assert Membership.objects.get(user=personas.bob.user).role == role
    key = create_key(personas.alice, "hers")
    Membership.objects.filter(user=personas.bob.user).update(role="owner")
    client = signed_in(personas.bob)
    # Bob promotes no one by demoting; Alice's keys stay while her role does.
    client.post(member_page(personas.alice, "role"), {"role": "owner", "confirmed": "yes"})
    assert may_call(key)


def test_owners_who_remove_or_demote_themselves_return_to_a_page_they_may_see(
    personas: Personas, admin: Persona
) -> None:
    act(admin, "connect_repo", fullName="acme/web")
    client = signed_in(admin)
    response = client.post(
        member_page(admin, "role"), {"role": "viewer", "confirmed": "yes"}, follow=True
    )
    assert (response.request["PATH_INFO"], response.status_code) == ("/members", 200)
    assert personas
