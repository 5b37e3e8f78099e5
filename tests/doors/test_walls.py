"""Who may call what, over REST: roles, keys, tokens, and the walls between organizations."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client

from tests.doors.arguments import Target, calls, target
from tests.doors.keys import call, organization_key, user_key
from tests.personas import Personas
from tests.worlds import World
from visual_review.accounts.models import ApiKey, Membership
from visual_review.actions.internal import INTERNAL
from visual_review.actions.registry import published_actions
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.repositories.tokens import mint_token

MAY = {
    "viewer": {"repos:view", "builds:view", "recordings:view"},
    "reviewer": {"repos:view", "builds:view", "recordings:view", "builds:review"},
}
MAY["admin"] = MAY["reviewer"] | {"repos:manage", "recordings:manage"}
MAY["owner"] = MAY["admin"]
NEEDS = {action.name: action.permission for action in published_actions()}
IDS = ("repoId", "buildId", "screenshotId", "recordingId")


@pytest.fixture
def on(personas: Personas) -> Target:
    return target(World(personas.alice))


@contextmanager
def undone() -> Iterator[None]:
    """Take back what a call did, so that each finds the same state."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def statuses(key: str, on: Target) -> dict[str, int]:
    found = {}
    for name, payload in calls(on).items():
        with undone():
            found[name] = call(key, name, payload).status_code
    return found


def expected(permissions: set[str]) -> dict[str, int]:
    return {name: 200 if need in permissions else 403 for name, need in NEEDS.items()}


def test_every_published_action_has_a_call_to_be_tried_with(on: Target) -> None:
    assert calls(on).keys() == NEEDS.keys()


@pytest.mark.parametrize("role", MAY)
def test_a_user_key_may_what_the_role_may(personas: Personas, on: Target, role: str) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role=role)
    assert statuses(user_key(personas.bob), on) == expected(MAY[role])


@pytest.mark.parametrize("permission", sorted(MAY["admin"]))
def test_an_organization_key_may_what_it_names(
    personas: Personas, on: Target, permission: str
) -> None:
    key = organization_key(personas.alice, (permission,))
    assert statuses(key, on) == expected({permission})


def test_a_user_key_never_exceeds_the_role_nor_what_it_names(
    personas: Personas, on: Target
) -> None:
    viewer = user_key(personas.carol, ("repos:manage", "builds:review", "builds:view"))
    assert statuses(viewer, on) == expected({"builds:view"})
    owner = user_key(personas.alice, ("builds:review",))
    assert statuses(owner, on) == expected({"builds:review"})


def test_permissions_of_pages_are_worth_nothing_in_a_key(personas: Personas, on: Target) -> None:
    key = organization_key(personas.alice, ("members:manage", "keys:manage", "audit:view"))
    assert set(statuses(key, on).values()) == {403}


def test_a_project_token_calls_no_action_and_a_key_no_ci_address(
    personas: Personas, on: Target, client: Client
) -> None:
    assert set(statuses(mint_token(on.world.repository), on).values()) == {401}
    headers = {"Authorization": f"Bearer {user_key(personas.alice)}"}
    response = client.get("/api/ci/capture-plan?branch=main", headers=headers)
    assert response.status_code == 401


def test_an_ended_key_calls_nothing(personas: Personas, on: Target) -> None:
    key = user_key(personas.alice)
    ended = (
        {"revoked_at": now()},
        {"expires_at": now() - timedelta(seconds=1)},
    )
    for change in ended:
        with undone():
            ApiKey.objects.update(**change)
            assert set(statuses(key, on).values()) == {401}
    assert call(key, "list_repos", {}).status_code == 200


def test_a_key_of_somebody_who_left_calls_nothing(personas: Personas, on: Target) -> None:
    key = user_key(personas.bob)
    Membership.objects.filter(user=personas.bob.user).delete()
    assert set(statuses(key, on).values()) == {401}


def test_a_session_counts_for_nothing(personas: Personas, client: Client) -> None:
    client.force_login(personas.alice.user)
    response = client.post("/api/rest/actions/list_repos", {}, content_type="application/json")
    assert response.status_code == 401


def test_what_only_pages_do_is_unknown_here(personas: Personas) -> None:
    key = user_key(personas.alice)
    assert INTERNAL
    for action in INTERNAL:
        assert call(key, action.name, {}).status_code == 404


def test_a_foreign_id_is_answered_in_the_words_of_a_missing_one(
    personas: Personas, on: Target
) -> None:
    theirs = target(World(personas.mallory, "evil/web"))
    mallory = user_key(personas.mallory)
    entries = AuditEntry.objects.count()
    seen = 0
    for name, payload in calls(on).items():
        for place in payload.keys() & set(IDS):
            foreign = call(mallory, name, payload)
            assert foreign.status_code == 404, name
            for missing in (missing_like(payload[place]), "", "nonsense", other_kind(on, place)):
                answer = call(mallory, name, {**payload, place: missing})
                assert answer.status_code == 404, (name, missing)
                assert answer.content == foreign.content, (name, missing)
            own = {**payload, place: calls(theirs)[name][place]}
            with undone():
                assert call(mallory, name, own).status_code == 200, name
            seen += 1
    assert seen == sum(1 for payload in calls(on).values() if payload.keys() & set(IDS))
    assert AuditEntry.objects.count() == entries


def missing_like(real: str) -> str:
    return real[:-4] + "0000"


def other_kind(on: Target, place: str) -> str:
    return on.screenshot.id if place != "screenshotId" else on.build.id


def test_nothing_foreign_stands_in_any_list(personas: Personas, on: Target) -> None:
    theirs = target(World(personas.mallory, "evil/web"))
    reads = {action.name for action in published_actions() if action.read_only}
    for name in reads:
        answer = call(user_key(personas.alice), name, calls(on)[name])
        # A refusal would hold nothing foreign either.
        assert answer.status_code == 200, name
        for foreign in (theirs.world.repository.id, theirs.build.id, theirs.screenshot.id):
            assert foreign not in answer.content.decode(), name
