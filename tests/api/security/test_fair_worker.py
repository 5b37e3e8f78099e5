"""No organization's work makes another's wait: slots by kind of work, and turns."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.db import connection
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job

from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.audit.log import SYSTEM
from visual_review.builds.job_queue import CONTINUED, enqueue_comparison, enqueue_processing
from visual_review.builds.models import Build, Comparison
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.time_slices import SLICE_SECONDS, TimeSlice, TimeSliceEndedError
from visual_review.jobs.builds.compare_build import compare_build
from visual_review.jobs.builds.process_build import process_build
from visual_review.jobs.queues import slots_of_worker
from visual_review.jobs.turns import Share, Turns, others_wait
from visual_review.jobs.upkeep.rescue_interrupted_jobs import rescue_interrupted_jobs
from visual_review.kernel.queue import enqueue
from visual_review.recordings.uploads import enqueue_processing as enqueue_recording
from visual_review.repositories.regions import Rectangle, replace_regions

pytestmark = pytest.mark.django_db
ANY = Share(1000, 1000)


def new_worker() -> int:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")
        row: tuple[int] = cursor.fetchone()
    return row[0]


@dataclass
class Queue:
    """One queue of one worker; jobs are known by their subject."""

    turns: Turns
    worker: int = field(default_factory=new_worker)

    def start(self) -> str | None:
        row = self.turns.fetch(self.worker)
        return str(row["lock"]) if row else None

    def run(self) -> str | None:
        """Start the next job, and end it."""
        name = self.start()
        if name is not None:
            end(name)
        return name


def end(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE procrastinate_jobs SET status = 'succeeded' "
            "WHERE lock = %s AND status = 'doing'",
            [name],
        )


def publish(organization: str, count: int, queue: str = "builds") -> None:
    for number in range(count):
        name = f"{organization}{number + 1}"
        if queue == "builds":
            enqueue_processing(name, organization)
        else:
            enqueue_recording(name, organization)


def queue_of_worker(name: str, builds: int = 2, recordings: int = 1) -> Queue:
    slots = {each.queue: each for each in slots_of_worker(builds, recordings)}
    return Queue(Turns(name, slots[name].share))


def test_organizations_take_turns_however_many_jobs_one_queued() -> None:
    publish("a", 4)
    publish("b", 2)
    publish("c", 1)
    queue = Queue(Turns("builds", ANY))
    assert [queue.run() for _ in range(8)] == ["a1", "b1", "c1", "a2", "b2", "a3", "a4", None]


def test_an_organization_with_fewer_running_jobs_comes_first() -> None:
    publish("a", 3)
    queue = Queue(Turns("builds", ANY))
    assert [queue.start(), queue.start()] == ["a1", "a2"]
    publish("b", 2)
    assert [queue.start() for _ in range(3)] == ["b1", "b2", "a3"]


def test_one_organization_never_takes_the_last_slot_of_a_worker() -> None:
    publish("a", 5)
    queue = queue_of_worker("builds", builds=2)
    assert [queue.start() for _ in range(3)] == ["a1", "a2", None]
    publish("b", 1)
    assert queue.start() == "b1"


def test_at_most_one_recording_of_an_organization_is_converted() -> None:
    publish("a", 3, "recordings")
    one, other = queue_of_worker("recordings"), queue_of_worker("recordings")
    assert [one.start(), other.start()] == ["a1", None]
    publish("b", 1, "recordings")
    assert other.start() == "b1"
    end("a1")
    assert one.start() == "a2"


def test_recordings_take_turns_too() -> None:
    publish("a", 100, "recordings")
    publish("b", 1, "recordings")
    queue = queue_of_worker("recordings")
    assert [queue.run(), queue.run(), queue.run()] == ["a1", "b1", "a2"]


def test_every_kind_of_job_has_slots_of_its_own() -> None:
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    slots = {each.queue: each for each in slots_of_worker(builds=2, recordings=1)}
    queues = {task.queue for task in app.tasks.values()} - {"builtin"}
    assert queues == set(slots)
    assert all(each.share.here < each.count or each.count == 1 for each in slots.values())


def test_the_order_of_jobs_with_a_lock_is_kept() -> None:
    queue = Queue(Turns("builds", ANY))
    enqueue_processing("a1", "a")
    assert queue.start() == "a1"
    # A comparison of the same build waits; others pass by.
    enqueue_comparison("a1", "a")
    enqueue_processing("a2", "a")
    assert [queue.start(), queue.start()] == ["a2", None]
    end("a1")
    assert queue.start() == "a1"


def test_jobs_wait_for_their_time() -> None:
    enqueue("process_build", lock="a1", delay_seconds=60, build_id="a1", organization_id="a")
    assert Queue(Turns("builds", ANY)).start() is None


def test_jobs_of_earlier_versions_take_turns_as_one_organization() -> None:
    for name in ("old1", "old2"):
        enqueue("process_build", lock=name, build_id=name)
    publish("a", 2)
    queue = Queue(Turns("builds", ANY))
    assert [queue.run() for _ in range(4)] == ["old1", "a1", "old2", "a2"]


def test_others_wait_only_if_they_have_nothing_running() -> None:
    queue = Queue(Turns("builds", ANY))
    publish("a", 2)
    assert queue.start() == "a1"
    assert not others_wait("builds")
    publish("b", 2)
    assert others_wait("builds")
    assert queue.start() == "b1"
    assert not others_wait("builds")
    assert not others_wait("recordings")


def test_a_slice_ends_only_after_its_time_and_if_others_wait() -> None:
    moment, waiting = 0.0, True
    time_slice = TimeSlice(lambda: waiting, lambda: moment)
    time_slice.check()
    moment = SLICE_SECONDS - 0.1
    time_slice.check()
    moment, waiting = SLICE_SECONDS + 0.1, False
    time_slice.check()
    # The slice does not ask before every step.
    waiting = True
    time_slice.check()
    moment = SLICE_SECONDS + 2
    with pytest.raises(TimeSliceEndedError):
        time_slice.check()


@pytest.fixture
def _short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every slice end after its first step, if others wait."""
    monkeypatch.setattr("visual_review.builds.time_slices.SLICE_SECONDS", 0)
    monkeypatch.setattr("visual_review.builds.time_slices.CHECK_SECONDS", 0)


BEFORE = {"a": "red", "b": "red", "c": "red"}
AFTER = {"a": "green", "b": "blue", "c": "white"}
CHANGED = {"a": "changed", "b": "changed", "c": "changed"}
TASKS: dict[str, Callable[..., None]] = {
    "process_build": process_build.func,
    "compare_build": lambda _context, **arguments: compare_build(**arguments),
}


def run_next(queue: Queue) -> str:
    """Run the next job as the worker does; return its lock."""
    row = queue.turns.fetch(queue.worker)
    assert row is not None
    job = Job.from_row(row)
    context = JobContext(app=app, job=job, start_timestamp=time.time(), abort_reason=lambda: None)
    TASKS[job.task_name](context, **job.task_kwargs)
    end(str(job.lock))
    return str(job.lock)


def publish_changes(persona: Persona, name: str) -> tuple[World, Build]:
    """Return a build waiting for its processing; each screenshot differs."""
    world = World(persona, name)
    world.approve(world.publish(BEFORE))
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    return world, world.upload(AFTER)


@pytest.mark.usefixtures("_short_slices")
def test_a_large_build_gives_way_after_a_slice_and_continues(personas: Personas) -> None:
    large, build = publish_changes(personas.alice, "acme/large")
    small, other = publish_changes(personas.mallory, "evil/small")
    finish_shard(large.repository, build.id, 1, SYSTEM)
    finish_shard(small.repository, other.id, 1, SYSTEM)
    known = Comparison.objects.count()
    queue = Queue(Turns("builds", ANY))
    assert run_next(queue) == build.id
    assert large.fresh(build).status == "processing"
    assert Comparison.objects.count() == known + 1
    # With slices so short, both give way until the last of their pairs.
    assert [run_next(queue) for _ in range(5)] == [other.id, build.id, other.id, build.id, other.id]
    assert large.states(build) == small.states(other) == CHANGED
    assert queue.start() is None


@pytest.mark.usefixtures("_short_slices")
def test_a_build_continues_before_others_of_its_organization(personas: Personas) -> None:
    world, build = publish_changes(personas.alice, "acme/large")
    finish_shard(world.repository, build.id, 1, SYSTEM)
    second = world.upload(AFTER, branch="second")
    finish_shard(world.repository, second.id, 1, SYSTEM)
    enqueue_processing("build_of_another", "another")
    queue = Queue(Turns("builds", ANY))
    assert run_next(queue) == build.id
    assert [queue.run(), run_next(queue)] == ["build_of_another", build.id]
    assert world.states(build) == CHANGED


@pytest.mark.usefixtures("_short_slices")
def test_a_repeated_comparison_gives_way_too(personas: Personas) -> None:
    world, build = publish_changes(personas.alice, "acme/large")
    world.finish(build)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - As above.
    for story in AFTER:
        variant = (story, "light", "desktop")
        replace_regions(build.product, variant, [Rectangle(x=0, y=0, width=1, height=1)], "Ann")
    enqueue_comparison(build.id, world.repository.organization_id)
    enqueue_processing("build_of_another", "another")
    queue = Queue(Turns("builds", ANY))
    assert [run_next(queue), queue.run()] == [build.id, "build_of_another"]
    assert world.states(build) == CHANGED
    run_next(queue)
    assert world.states(build) == dict.fromkeys(AFTER, "unchanged")


def test_a_killed_worker_loses_no_slice_and_doubles_none(personas: Personas) -> None:
    world, build = publish_changes(personas.alice, "acme/large")
    finish_shard(world.repository, build.id, 1, SYSTEM)
    queue = Queue(Turns("builds", ANY))
    assert queue.start() == build.id
    # Killed between storing the continuation and ending the job.
    enqueue_processing(build.id, world.repository.organization_id, priority=CONTINUED)
    assert rescue_interrupted_jobs(None) == 1
    assert run_next(queue) == build.id
    assert queue.start() is None
    assert world.states(build) == CHANGED
