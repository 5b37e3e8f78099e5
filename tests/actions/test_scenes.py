"""Scenes: later tests get a copy of the scene built by the first test."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from tests.support.case import Case
from tests.support.hosted_world import NAME, HostedWorld, world_with_build
from tests.support.personas import Persona, Personas
from tests.support.saved_rows import filled_tables, save_rows_of
from tests.support.scenes import scene, stored_blobs
from visual_review.accounts.models import Organization
from visual_review.builds.models import Build
from visual_review.kernel.clock import now


@scene
def full_repository(persona: Persona) -> HostedWorld:
    """Rows of most kinds: decisions, comparisons, audit entries, jobs, messages to the host."""
    world = world_with_build(persona, {"a": "red", "b": "error"}, notified=True)
    world.approve(world.build)
    changed = world.publish({"a": "blue"}, "feature")
    world.reject(changed, "a")
    return world


@dataclass(frozen=True)
class Contents:
    """Everything in a scene except moments and the queue's log, written by triggers."""

    rows: dict[str, list[dict[str, Any]]]
    blobs: dict[str, bytes]
    statuses: dict[str, str]
    comments: list[str]
    build: Build


def contents(world: HostedWorld) -> Contents:
    tables = set(filled_tables()) - {"procrastinate_events"}
    return Contents(
        {table: rows_of(table) for table in tables},
        stored_blobs(),
        world.statuses(),
        world.comments(),
        world.build,
    )


def rows_of(table: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1')  # noqa: S608 - Our own table.
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [
        {name: value for name, value in row.items() if not isinstance(value, datetime)}
        for row in rows
    ]


def test_a_copy_has_the_rows_blobs_and_host_of_the_first(personas: Personas, case: Case) -> None:
    found = []
    for name in ("built", "copied", "copied again"):
        with case(name):
            found.append(contents(full_repository(personas.alice)))
            assert found[-1] == found[0]
    assert {"builds_comparison", "builds_reviewentry", "audit_auditentry"} <= set(found[0].rows)
    assert found[0].blobs
    assert found[0].comments


def test_each_copy_may_be_changed(personas: Personas, case: Case) -> None:
    for name in ("first", "second"):
        with case(name):
            world = full_repository(personas.alice)
            assert world.repository.full_name == NAME
            assert world.publish({"c": "green"}).number == 3
            world.repository.full_name = "acme/other"
            world.repository.save()
            (comment,) = world.host.comments_of(NAME, 1)
            world.host.delete_comment(NAME, 1, comment.id)


def test_rows_are_as_old_as_when_they_were_saved(personas: Personas, case: Case) -> None:
    with case("saved"):
        _, rows = save_rows_of(lambda: world_with_build(personas.alice, {"a": "red"}))
    later = now() + timedelta(hours=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.support.saved_rows.now", lambda: later)
        rows.insert()
    age = later - Build.objects.get().created_at
    assert timedelta() <= age < timedelta(minutes=1)


def test_what_changes_rows_that_were_there_before_is_no_scene(personas: Personas) -> None:
    def rename() -> None:
        Organization.objects.filter(pk=personas.alice.organization.pk).update(name="Other")

    with pytest.raises(AssertionError, match="changed rows of accounts_organization"):
        save_rows_of(rename)
