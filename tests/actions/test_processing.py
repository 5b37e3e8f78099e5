"""Every published build is completed or fails with a reason, even if its job is lost."""

import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job
from pytest_django.fixtures import Settings

from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World, png, sha256, world_with_baseline
from visual_review.audit.log import SYSTEM
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, Image
from visual_review.builds.publishing.finish import finish_shard
from visual_review.jobs.builds.process_build import (
    ATTEMPTS,
    MAX_INTERRUPTIONS,
    ROOM_WITHIN,
    process_build,
)
from visual_review.jobs.builds.resume_builds import LOST_AFTER, resume_lost_builds
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.disk_reserve import DiskReserve


@dataclass
class PublishedBuild:
    """A build that waits for its comparison with the baseline of its world."""

    world: World
    build: Build

    @property
    def row(self) -> Build:
        """The current row."""
        return self.world.fresh(self.build)

    def run(self, attempts: int = 0) -> None:
        """Run the job that processes the build, in this thread."""
        run(self.build, attempts)


def publish(world: World, color: str) -> Build:
    build = world.upload({"a": color})
    finish_shard(world.repository, build.id, 1, SYSTEM)
    return world.fresh(build)


@scene
def publish_build(persona: Persona) -> PublishedBuild:
    world = world_with_baseline(persona, {"a": "red"})
    return PublishedBuild(world, publish(world, "blue"))


@pytest.fixture
def published(personas: Personas) -> PublishedBuild:
    return publish_build(personas.alice)


def run(build: Build, attempts: int = 0) -> None:
    job = Job(
        id=1,
        status="doing",
        queue="builds",
        lock=build.id,
        queueing_lock=None,
        task_name="process_build",
        task_kwargs={"build_id": build.id},
        attempts=attempts,
    )
    context = JobContext(app=app, job=job, start_timestamp=time.time(), abort_reason=lambda: None)
    process_build(context, build.id)


def lose_the_storage() -> None:
    """Replace the image's folder with a file, so that the image cannot be read."""
    folder = blob_store().folder
    assert folder is not None
    images = folder / "images" / Image.objects.get(sha256=sha256(png("blue"))).organization_id
    path = images / sha256(png("blue"))[:2]
    path.rename(path.with_name("away"))
    path.write_bytes(b"")


def test_a_failure_is_retried_and_leaves_the_build_processing(published: PublishedBuild) -> None:
    lose_the_storage()
    with pytest.raises(Exception, match="storage failed to read"):
        published.run()
    assert published.row.status == "processing"


def test_a_build_without_storage_fails_with_the_reason(published: PublishedBuild) -> None:
    lose_the_storage()
    published.run(attempts=ATTEMPTS - 1)
    build = published.row
    assert build.status == "failed"
    assert "The storage failed to read" in build.failure
    assert build.failure.endswith("Publish again.")
    assert AuditEntry.objects.filter(verb="build.failed", target_id=published.build.id).count() == 1


def test_a_build_waits_for_room_on_a_full_disk(
    published: PublishedBuild, settings: Settings, tmp_path: Path
) -> None:
    settings.DISK_RESERVE = DiskReserve(tmp_path / "disk-reserve", 2**50)
    # However often, the job is no failed attempt: a new one comes soon.
    published.run(attempts=ATTEMPTS - 1)
    assert (published.row.status, waiting(published.build)) == ("processing", 1)
    settings.DISK_RESERVE = None
    published.run()
    assert published.row.status == "completed"


def test_a_build_waits_for_room_no_longer_than_a_day(
    published: PublishedBuild, settings: Settings, tmp_path: Path
) -> None:
    settings.DISK_RESERVE = DiskReserve(tmp_path / "disk-reserve", 2**50)
    Build.objects.update(last_upload_at=now() - 2 * ROOM_WITHIN)
    published.run(attempts=ATTEMPTS - 1)
    assert published.row.status == "failed"
    assert "MB must be freed" in published.row.failure


def test_an_internal_error_is_not_shown_to_users(
    published: PublishedBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr("visual_review.jobs.builds.process_build.measure_build", broken)
    published.run(attempts=ATTEMPTS - 1)
    assert "hunter2" not in published.row.failure
    assert "RuntimeError" in published.row.failure


def test_a_build_that_kills_every_worker_fails_in_the_end(published: PublishedBuild) -> None:
    published.run(attempts=MAX_INTERRUPTIONS)
    assert published.row.status == "failed"
    assert "was killed" in published.row.failure


def test_a_build_that_was_interrupted_a_few_times_is_processed(published: PublishedBuild) -> None:
    published.run(attempts=MAX_INTERRUPTIONS - 1)
    assert published.row.status == "completed"


def age(build: Build) -> None:
    Build.objects.filter(pk=build.pk).update(last_upload_at=now() - 2 * LOST_AFTER)


def waiting(build: Build) -> int:
    return ProcrastinateJob.objects.filter(
        task_name="process_build", args__build_id=build.id, status="todo"
    ).count()


def test_a_build_that_lost_its_job_gets_a_new_one(published: PublishedBuild) -> None:
    age(published.build)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    assert resume_lost_builds() == 1
    assert waiting(published.build) == 1
    assert resume_lost_builds() == 0
    assert waiting(published.build) == 1


def test_a_recent_build_and_one_with_a_waiting_job_are_ignored(published: PublishedBuild) -> None:
    young = publish(published.world, "green")
    age(published.build)
    jobs = ProcrastinateJob.objects.filter(args__build_id=young.id)
    jobs._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    assert resume_lost_builds() == 0
    assert (waiting(published.build), waiting(young)) == (1, 0)
