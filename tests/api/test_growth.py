"""The generator of large stores writes the same as publishing and approving a build, no more."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from benchmarks.growth import grow
from django.db import connection

from tests.support.action_calls import act
from tests.support.ci.publish_client import Job, connect, make_image
from tests.support.personas import Persona, Personas
from tests.support.saved_rows import stored_rows
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.models import Build

# Jobs are deleted at their end.
QUEUE = "procrastinate_"
# Written into an entry by the next version of its baseline.
LATER = {"to_move"}
EMPTY: tuple[object, ...] = (None, "", False, 0, [], {})
COLORS = {f"story-{number}": "red" for number in range(4)}
PULL = {"branch": "feature-1", "pullRequest": 1, "baseBranch": "main"}
Rows = Counter[tuple[str, tuple[str, ...]]]


def publish(persona: Persona, job: Job, changed: dict[str, str], **facts: object) -> None:
    """Publish a build through the CI interface, compare it and approve it."""
    images = {story: make_image(color) for story, color in (COLORS | changed).items()}
    created = job.publish(images, **facts)
    row = Build.objects.select_related("repository", "product").get(pk=created["id"])
    complete_build(row.id, measure_build(row))
    act(persona, "approve_build", buildId=row.id)


def added_rows(change: Callable[[], object]) -> Rows:
    """Return the number of rows added by the call, by table and by the columns with values."""
    before = {_key(table, json.loads(row)) for table, row in stored_rows()}
    change()
    rows: Rows = Counter()
    for table, text in stored_rows():
        row = json.loads(text)
        if not table.startswith(QUEUE) and _key(table, row) not in before:
            rows[table, _filled(row)] += 1
    return rows


def _filled(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(name for name in row.keys() - LATER if row[name] not in EMPTY))


def _key(table: str, row: dict[str, Any]) -> tuple[str, object]:
    return table, row.get("id", json.dumps(row))


@pytest.fixture
def job(personas: Personas) -> Job:
    found = connect(personas.alice)
    publish(personas.alice, found, {})
    return found


def test_copies_are_the_rows_of_published_builds(personas: Personas, job: Job) -> None:
    main = added_rows(lambda: publish(personas.alice, job, {"story-0": "blue"}))
    pull = added_rows(
        lambda: publish(personas.alice, job, {"story-0": "blue", "story-1": "green"}, **PULL)
    )
    expected = main + pull + pull + pull
    assert len({table for table, _ in expected}) > 10
    assert added_rows(lambda: grow(job.repository, 4)) == expected
    # Copies of copies are no different.
    assert added_rows(lambda: grow(job.repository, 8)) == expected + expected
    # Also the foreign keys checked late.
    connection.check_constraints()
