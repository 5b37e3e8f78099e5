"""The caller of an access token, and events that make the token invalid immediately."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from tests.support.api_keys import organization_key, user_key
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import Grant, Membership, TokenFamily, User
from visual_review.accounts.oauth.grants import grants_visible_to
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError, UnauthenticatedError
from visual_review.repositories.tokens import mint_token


@pytest.fixture
def token(personas: Personas) -> str:
    return str(Flow.of(personas.bob).tokens(personas.bob)["access_token"])


def refused(text: str) -> str:
    with pytest.raises(UnauthenticatedError) as error:
        caller_of_bearer(text)
    return str(error.value)


def test_a_lower_role_applies_to_the_next_call(personas: Personas, token: str) -> None:
    assert caller_of_bearer(token).may("builds:review")
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    caller = caller_of_bearer(token)
    assert not caller.may("builds:review")
    # Permissions missing in the role are not withheld.
    assert caller.withheld == frozenset()
    Membership.objects.filter(user=personas.bob.user).update(role="owner")
    assert caller_of_bearer(token).may("repos:manage")
    assert not caller_of_bearer(token).may("members:manage")


def test_all_invalid_tokens_get_the_same_message(
    personas: Personas, token: str, settings: Settings
) -> None:
    message = refused("vr_access_unknown")
    grant = Grant.objects.get()
    TokenFamily.objects.update(ended_at=now())
    assert refused(token) == message
    TokenFamily.objects.update(ended_at=None)
    Grant.objects.update(disconnected_at=now())
    assert refused(token) == message
    Grant.objects.update(disconnected_at=None)
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
    assert refused(token) == message
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=True)
    settings.PUBLIC_URL = "https://elsewhere.example"
    assert refused(token) == message
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    assert caller_of_bearer(token).grant_id == grant.id
    Membership.objects.filter(user=personas.bob.user).delete()
    assert refused(token) == message


def test_one_query_checks_a_token_and_its_use_is_stored_once_a_minute(token: str) -> None:
    caller_of_bearer(token)
    recorded = Grant.objects.get().last_used_at
    assert recorded is not None
    with CaptureQueriesContext(connection) as queries:
        caller_of_bearer(token)
    assert len(queries) == 1
    assert Grant.objects.get().last_used_at == recorded
    Grant.objects.update(last_used_at=now() - timedelta(seconds=61))
    caller_of_bearer(token)
    later = Grant.objects.get().last_used_at
    assert later is not None
    assert later >= recorded


def test_credentials_of_each_kind_are_distinguished(personas: Personas, token: str) -> None:
    assert caller_of_bearer(user_key(personas.bob)).key_id
    keyed = caller_of_bearer(organization_key(personas.alice, ("repos:view",)))
    assert (keyed.kind, keyed.channel) == ("organization_key", "mcp")
    world = World(personas.alice)
    assert "Project tokens" in refused(mint_token(world.repository))
    refresh = Flow.of(personas.bob).tokens(personas.bob)["refresh_token"]
    for text in (refresh, "", "x", token + "x", token.removeprefix("vr_access_"), "vr_invite_x"):
        assert refused(text)


def test_other_endpoints_do_not_accept_access_tokens(client: Client, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    rest = client.post(
        "/api/rest/actions/list_repos", {}, content_type="application/json", headers=headers
    )
    assert rest.status_code == 401
    assert client.get("/api/ci/capture-plan?branch=main", headers=headers).status_code == 401


def test_disconnecting_revokes_everything_immediately(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    tokens, more = flow.tokens(personas.bob), flow.tokens(personas.bob)
    code = flow.code(personas.bob)
    grant = Grant.objects.get()
    result = dispatch(any_action("disconnect_app"), personas.bob.caller, {"grantId": grant.id})
    assert result.name == "Test client"
    for each in (tokens, more):
        refused(each["access_token"])
        assert flow.refresh(each["refresh_token"]).status_code == 400
    assert flow.exchange(code).status_code == 400
    entry = AuditEntry.objects.get(verb="app.disconnected")
    assert (entry.actor_id, entry.target_id) == (personas.bob.user.id, grant.id)
    assert not grants_visible_to(personas.bob.caller).exists()
    with pytest.raises(NotFoundError):
        dispatch(any_action("disconnect_app"), personas.bob.caller, {"grantId": grant.id})
    # Connecting again creates a new grant; old tokens stay invalid.
    flow.tokens(personas.bob)
    assert Grant.objects.filter(disconnected_at=None).count() == 1
    refused(tokens["access_token"])


def test_which_apps_a_member_can_see_and_disconnect(personas: Personas) -> None:
    for persona in (personas.alice, personas.bob, personas.mallory):
        Flow.of(persona).tokens(persona, "read")
    grants = {each.user_id: each.id for each in Grant.objects.all()}
    seen = {
        name: set(grants_visible_to(getattr(personas, name).caller).values_list("id", flat=True))
        for name in ("alice", "bob", "carol", "mallory")
    }
    alice, bob = grants[personas.alice.user.id], grants[personas.bob.user.id]
    mallory = grants[personas.mallory.user.id]
    assert seen == {"alice": {alice, bob}, "bob": {bob}, "carol": set(), "mallory": {mallory}}
    for persona in (personas.bob, personas.carol, personas.mallory):
        with pytest.raises(NotFoundError):
            dispatch(any_action("disconnect_app"), persona.caller, {"grantId": alice})
    # A member who manages keys may disconnect the apps of others, too.
    dispatch(any_action("disconnect_app"), personas.alice.caller, {"grantId": bob})
    assert Grant.objects.get(pk=bob).disconnected_at is not None


def test_removing_a_member_revokes_their_apps(personas: Personas, token: str) -> None:
    membership = Membership.objects.get(user=personas.bob.user)
    dispatch(any_action("remove_member"), personas.alice.caller, {"membershipId": membership.id})
    refused(token)
    # Rejoining does not reconnect the app.
    Membership.objects.create(
        user=personas.bob.user, organization=personas.alice.organization, role="owner"
    )
    refused(token)


def test_changes_by_an_app_are_recorded_with_its_name(personas: Personas, token: str) -> None:
    world = World(personas.alice)
    build = world.publish({"a": "red"})
    caller = caller_of_bearer(token)
    dispatch(any_action("approve_build"), caller, {"buildId": build.id})
    entry = AuditEntry.objects.get(verb="build.approved")
    assert (entry.actor_id, entry.channel) == (personas.bob.user.id, "mcp")
    assert (entry.client, entry.client_id) == ("Test client", caller.client_id)
    assert entry.credential_id == Grant.objects.get().id
