"""The jobs enqueued by the nightly sweep: small, in turns, and repeated after a kill."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.images.blob_keys import image_key
from visual_review.builds.models import Build, Image
from visual_review.jobs.queues import slots_of_worker
from visual_review.jobs.turns import Turns
from visual_review.jobs.upkeep import sweep_retention
from visual_review.jobs.upkeep.delete_unused_images import delete_unused_images
from visual_review.jobs.upkeep.sweep_retention import (
    delete_builds,
    enqueue_deletions,
    sweep_images,
)
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.repositories.models import Retention

pytestmark = pytest.mark.django_db
TASKS: dict[str, Callable[..., None]] = {
    "delete_expired_builds": delete_builds,
    "sweep_unused_images": sweep_images,
    "delete_unused_images": delete_unused_images,
}
COLORS = ("red", "green", "blue")


class KilledError(Exception):
    """Simulates a kill between two statements."""


@pytest.fixture
def worlds(personas: Personas, monkeypatch: pytest.MonkeyPatch) -> list[World]:
    """Two organizations: one with three due builds, one with a single due build."""
    monkeypatch.setattr(sweep_retention, "BUILDS_AT_ONCE", 1)
    return [fill(World(personas.alice), COLORS), fill(World(personas.mallory), COLORS[:1])]


def fill(world: World, colors: tuple[str, ...]) -> World:
    Retention.objects.create(organization=world.persona.organization, builds_days=30)
    for color in (*colors, "white"):
        # Their approvals count for no branch any more: the next one sets the baseline.
        world.act("reject_build", buildId=world.publish({"a": color}).id)
    builds = Build.objects.filter(repository=world.repository)
    builds.update(created_at=now() - timedelta(days=400))
    world.publish({"a": "white"})
    Image.objects.update(created_at=now() - timedelta(days=400))
    return world


def fetched() -> Iterator[dict[str, Any]]:
    """Yield the jobs in a worker's order, each as a successful one."""
    (slots,) = [each for each in slots_of_worker(1, 1) if each.queue == "cleaning"]
    turns = Turns(slots.queue, slots.share)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")
        (worker,) = cursor.fetchone() or ()
        while job := turns.fetch(worker):
            yield job
            cursor.execute("DELETE FROM procrastinate_jobs WHERE id = %s", [job["id"]])


def run(job: dict[str, Any]) -> None:
    TASKS[job["task_name"]](**job["args"])


def check_all_deleted() -> None:
    """Check that only the newest build of each repository is left, with its image."""
    assert set(Build.objects.values_list("number", flat=True)) == {5, 3}
    kept = {image_key(image) for image in Image.objects.all()}
    assert len(kept) == 2
    assert set(blob_store().keys("images")) == kept


@pytest.mark.usefixtures("worlds")
def test_the_jobs_delete_builds_then_images() -> None:
    enqueue_deletions(now())
    for job in fetched():
        run(job)
    check_all_deleted()
    assert AuditEntry.objects.filter(verb="build.retired").count() == 6


def test_organizations_take_turns_however_many_builds_are_due(worlds: list[World]) -> None:
    enqueue_deletions(now())
    ran = [(job["args"]["organization_id"], job["task_name"]) for job in fetched() if not run(job)]
    many, few = (world.persona.organization.id for world in worlds)
    owners = [owner for owner, _ in ran]
    # As long as the other has jobs, none runs two in a row.
    last = max(index for index, owner in enumerate(owners) if owner == few)
    assert all(owners[index] != owners[index + 1] for index in range(last))
    # The images of an organization come after all of its builds.
    names = [name for owner, name in ran if owner == many]
    assert names[:5] == ["delete_expired_builds"] * 4 + ["sweep_unused_images"]


@pytest.mark.usefixtures("worlds")
@pytest.mark.parametrize(
    "statement",
    [
        'DELETE FROM "builds_reviewentry"',
        'DELETE FROM "builds_screenshot"',
        'DELETE FROM "builds_build"',
        'DELETE FROM "builds_image"',
        "SELECT key, pg_try_advisory",
    ],
)
def test_a_killed_job_is_finished_by_running_it_again(statement: str) -> None:
    enqueue_deletions(now())
    killed = 0
    for job in fetched():
        try:
            with connection.execute_wrapper(kill_before(statement)):
                run(job)
        except KilledError:
            killed += 1
            run(job)
    assert killed
    check_all_deleted()
    assert AuditEntry.objects.filter(verb="build.retired").count() == 6


def kill_before(statement: str) -> Callable[..., Any]:
    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        if statement in sql:
            raise KilledError(sql)
        return execute(sql, *rest)

    return wrapper


def test_a_job_follows_the_settings_of_its_time(worlds: list[World]) -> None:
    enqueue_deletions(now())
    Retention.objects.update(builds_days=None)
    for job in fetched():
        run(job)
    assert Build.objects.filter(repository=worlds[0].repository).count() == 5


def test_images_shared_with_a_living_build_are_kept(worlds: list[World]) -> None:
    enqueue_deletions(now())
    jobs = fetched()
    run(next(jobs))
    # Published again between two jobs.
    build = worlds[0].publish({"a": "green", "b": "blue"}, branch="again")
    for job in jobs:
        run(job)
    stored = set(blob_store().keys("images"))
    for story in "ab":
        image = worlds[0].shot(build, story).image
        assert image is not None
        assert image_key(image) in stored
