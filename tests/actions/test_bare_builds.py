"""The bare views of ``bench-mcp``: the JSON, the checks and the queries of ``list_builds``."""

import json
from datetime import timedelta

import pytest
from benchmarks.calls.bare_builds import MissingError, RefusedError, list_builds
from benchmarks.calls.bare_paths import DJANGO_PATH
from benchmarks.seeding import Seeded, seed
from django.test import Client, override_settings

from tests.support.api_keys import call, organization_key, user_key
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from visual_review.accounts.models import ApiKey, Membership
from visual_review.kernel.clock import now


@pytest.fixture
def seeded(personas: Personas) -> Seeded:
    return seed(personas.alice.organization, 400, 1)


def read(key: str, repository: str) -> object:
    return list_builds(f"Bearer {key}", json.dumps({"repoId": repository}).encode())


@override_settings(ROOT_URLCONF="benchmarks.calls.bare_urls")
def test_it_returns_what_the_action_returns_with_as_many_queries(
    personas: Personas, seeded: Seeded
) -> None:
    body = {"repoId": seeded.repository_id, "limit": 40}
    for key in (user_key(personas.bob), organization_key(personas.alice, ("builds:view",))):
        call(key, "list_builds", body)
        with counted_statements() as ours:
            wanted = call(key, "list_builds", body)
        with counted_statements() as bare:
            found = Client(enforce_csrf_checks=True).post(
                DJANGO_PATH, body, "application/json", headers={"authorization": f"Bearer {key}"}
            )
        assert found.json() == json.loads(wanted.content)
        assert len(found.json()["result"]["builds"]) == 40
        # Otherwise the comparison would be unfair to one of them.
        assert len(bare) == len(ours)


def test_it_refuses_keys_as_the_service_does(personas: Personas, seeded: Seeded) -> None:
    for change in ({"revoked_at": now()}, {"expires_at": now() - timedelta(minutes=1)}):
        key = user_key(personas.bob)
        ApiKey.objects.update(**change)
        with pytest.raises(RefusedError):
            read(key, seeded.repository_id)
        ApiKey.objects.all().delete()
    for key in (
        "vr_user_of_no_one",
        user_key(personas.bob, ("repos:view",)),
        organization_key(personas.alice, ("repos:view",)),
    ):
        with pytest.raises(RefusedError):
            read(key, seeded.repository_id)
    former = user_key(personas.bob)
    Membership.objects.filter(user=personas.bob.user).delete()
    with pytest.raises(RefusedError):
        read(former, seeded.repository_id)


def test_another_organizations_repository_does_not_exist(
    personas: Personas, seeded: Seeded
) -> None:
    with pytest.raises(MissingError):
        read(user_key(personas.mallory), seeded.repository_id)
