"""Who may call what over REST: roles, keys, tokens, and nothing of another organization."""

from datetime import timedelta

import pytest
from django.test import Client

from tests.support.action_arguments import Target, create_target, target_of
from tests.support.api_keys import call, organization_key, user_key
from tests.support.api_reviewers import IDS, MAY, NEEDS, missing_like, other_kind
from tests.support.case import Case
from tests.support.database import rolled_back
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.models import ApiKey, Membership
from visual_review.actions.internal import INTERNAL
from visual_review.actions.registry import callable_actions
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.repositories.tokens import mint_token


@pytest.fixture
def target(personas: Personas) -> Target:
    return target_of(personas.alice)


def statuses(key: str, target: Target) -> dict[str, int]:
    found = {}
    for name, payload in target.calls.items():
        with rolled_back():
            found[name] = call(key, name, payload).status_code
    return found


def expected_statuses(permissions: set[str]) -> dict[str, int]:
    return {name: 200 if need in permissions else 403 for name, need in NEEDS.items()}


def test_every_action_for_programs_has_a_valid_call(target: Target) -> None:
    assert target.calls.keys() == NEEDS.keys()


def test_a_user_key_may_what_the_role_may(case: Case, personas: Personas, target: Target) -> None:
    for role in MAY:
        with case(role):
            Membership.objects.filter(user=personas.bob.user).update(role=role)
            assert statuses(user_key(personas.bob), target) == expected_statuses(MAY[role])


def test_an_organization_key_may_what_it_names(
    case: Case, personas: Personas, target: Target
) -> None:
    for permission in sorted(MAY["admin"]):
        with case(permission):
            key = organization_key(personas.alice, (permission,))
            assert statuses(key, target) == expected_statuses({permission})


def test_a_user_key_never_exceeds_the_role_nor_what_it_names(
    personas: Personas, target: Target
) -> None:
    viewer = user_key(personas.carol, ("repos:manage", "builds:review", "builds:view"))
    assert statuses(viewer, target) == expected_statuses({"builds:view"})
    owner = user_key(personas.alice, ("builds:review",))
    assert statuses(owner, target) == expected_statuses({"builds:review"})


def test_permissions_of_pages_allow_nothing_in_a_key(personas: Personas, target: Target) -> None:
    key = organization_key(personas.alice, ("members:manage", "keys:manage", "audit:view"))
    assert set(statuses(key, target).values()) == {403}


def test_a_project_token_calls_no_action_and_an_api_key_no_ci_endpoint(
    personas: Personas, target: Target, client: Client
) -> None:
    assert set(statuses(mint_token(target.world.repository), target).values()) == {401}
    headers = {"Authorization": f"Bearer {user_key(personas.alice)}"}
    response = client.get("/api/ci/capture-plan?branch=main", headers=headers)
    assert response.status_code == 401


def test_a_revoked_or_expired_key_calls_nothing(personas: Personas, target: Target) -> None:
    key = user_key(personas.alice)
    ended = (
        {"revoked_at": now()},
        {"expires_at": now() - timedelta(seconds=1)},
    )
    for change in ended:
        with rolled_back():
            ApiKey.objects.update(**change)
            assert set(statuses(key, target).values()) == {401}
    assert call(key, "list_repos", {}).status_code == 200


def test_the_key_of_a_former_member_calls_nothing(personas: Personas, target: Target) -> None:
    key = user_key(personas.bob)
    Membership.objects.filter(user=personas.bob.user).delete()
    assert set(statuses(key, target).values()) == {401}


def test_a_session_of_the_pages_is_no_credential(personas: Personas, client: Client) -> None:
    client.force_login(personas.alice.user)
    response = client.post("/api/rest/actions/list_repos", {}, content_type="application/json")
    assert response.status_code == 401


def test_an_internal_action_is_unknown(personas: Personas) -> None:
    key = user_key(personas.alice)
    assert INTERNAL
    for action in INTERNAL:
        assert call(key, action.name, {}).status_code == 404, action.name


def test_an_id_of_another_organization_is_treated_like_a_missing_one(
    case: Case, personas: Personas, target: Target
) -> None:
    own_calls = create_target(World(personas.mallory, "evil/web")).calls
    mallory = user_key(personas.mallory)
    entries = AuditEntry.objects.count()
    with_ids = [
        (name, field) for name in target.calls for field in IDS if field in target.calls[name]
    ]
    assert with_ids
    for name, field in with_ids:
        with case(f"{name}, {field}"):
            payload = target.calls[name]
            foreign = call(mallory, name, payload)
            assert foreign.status_code == 404
            mine = call(mallory, name, {**payload, field: missing_like(payload[field])})
            assert (mine.status_code, mine.content) == (404, foreign.content)
            # The error for another kind of id depends on the id's text alone.
            existing = other_kind(target, field)
            said = set()
            for other in (existing, missing_like(existing)):
                mine = call(mallory, name, {**payload, field: other})
                assert mine.status_code == 404
                said.add(mine.content.replace(other.encode(), b"that"))
            assert len(said) == 1
            for other in ("", "nonsense"):
                assert call(mallory, name, {**payload, field: other}).status_code == 404
            assert AuditEntry.objects.count() == entries
            own = {**payload, field: own_calls[name][field]}
            if "seen" in payload:
                # The evidence names its build.
                own["seen"] = own_calls[name]["seen"]
            assert call(mallory, name, own).status_code == 200


def test_no_response_contains_anything_of_another_organization(
    case: Case, personas: Personas, target: Target
) -> None:
    theirs = create_target(World(personas.mallory, "evil/web"))
    key = user_key(personas.alice)
    for name in (action.name for action in callable_actions() if action.read_only):
        with case(name):
            mine = call(key, name, target.calls[name])
            # An error would contain nothing of the other organization either.
            assert mine.status_code == 200
            for foreign in (theirs.world.repository.id, theirs.build.id, theirs.screenshot.id):
                assert foreign not in mine.content.decode()
