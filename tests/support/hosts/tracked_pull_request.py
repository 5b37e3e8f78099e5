"""A pull request at the provider in memory, tracked by webhooks or polling; tests run jobs."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.test import Client
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job
from scripts.local_host.memory import MemoryWorld
from scripts.local_host.memory.webhooks import sign_delivery

from tests.support.host_accounts import WEBHOOK_SECRET, host_world
from tests.support.personas import Persona
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.builds.models import Build, PullRequest
from visual_review.hosts.port import Event
from visual_review.repositories.models import HostAccount, Repository

NAME = "acme/web"
COMMIT = "1" * 40
MOST_JOBS = 200
# Jobs that have nothing to do with tracking.
EXCLUDED_TASKS = ("tell_host", "tell_host_later")


@dataclass
class TrackedPullRequest:
    """Number 1 of a repository: ``main`` shows red, ``release`` green, both ``same`` in white."""

    persona: Persona
    world: World
    account: HostAccount
    build: Build = field(init=False)
    """Its build, if one was published."""

    @property
    def host(self) -> MemoryWorld:
        return host_world()

    @property
    def repository(self) -> Repository:
        return Repository.objects.get(pk=self.world.repository.pk)

    @property
    def row(self) -> PullRequest:
        return PullRequest.objects.get(repository=self.world.repository, number=1)

    def publish(self, shots: Mapping[str, str], target: str = "main") -> Build:
        """Publish a build of the pull request."""
        return self.world.publish(shots, "feature", target=target, commit=COMMIT)

    def approve(self, build: Build) -> None:
        self.world.approve(build)

    def events(self) -> list[Event]:
        return self.host.take_events()

    def deliver(self, events: Iterable[Event] | None = None) -> None:
        """Send all new events, or the given ones, to the webhook endpoint, and run the jobs."""
        for event in self.events() if events is None else events:
            headers, body = sign_delivery(event, WEBHOOK_SECRET)
            headers.pop("Content-Type")
            response = Client().post(
                f"/api/webhooks/hosts/{self.account.id}",
                body,
                content_type="application/json",
                headers=headers,
            )
            assert response.status_code in {200, 202}, response.content
        self.run_jobs()

    def run_jobs(self) -> None:
        """Run the jobs that are due, and those they enqueue, one after the other."""
        for _ in range(MOST_JOBS):
            job = waiting_jobs().first()
            if job is None:
                return
            # Removed first, as a worker does: what is enqueued meanwhile is another job.
            ProcrastinateJob.objects.filter(pk=job.pk)._raw_delete("default")  # noqa: SLF001 - The model is read-only.
            run_job(job)
        raise AssertionError("The jobs never end.")


@scene
def track_pull_request(
    persona: Persona, shots: dict[str, str] | None = None, *, approved: bool = False
) -> TrackedPullRequest:
    """Open the pull request, with a build of ``shots`` if given."""
    world = World(persona, NAME)
    pull_request = TrackedPullRequest(persona, world, world.connect_host())
    for branch, color in (("main", "red"), ("release", "green")):
        pull_request.approve(world.publish({"a": color, "same": "white"}, branch))
    opened = pull_request.host.open_pull_request(NAME, "feature", COMMIT, title="Buttons")
    assert opened.number == 1
    if shots is not None:
        pull_request.build = pull_request.publish(shots)
    if approved:
        pull_request.approve(pull_request.build)
    return pull_request


def waiting_jobs() -> QuerySet[ProcrastinateJob]:
    rows = ProcrastinateJob.objects.filter(status="todo", scheduled_at=None)
    return rows.exclude(task_name__in=EXCLUDED_TASKS).order_by("id")


def run_job(row: ProcrastinateJob, attempts: int = 0) -> None:
    # Jobs are imported where they run, and nowhere else.
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    task = app.tasks[row.task_name]
    if not task.pass_context:
        task(**row.args)
        return
    job = Job(
        id=row.pk,
        status="doing",
        queue=row.queue_name,
        lock=row.lock,
        queueing_lock=row.queueing_lock,
        task_name=row.task_name,
        task_kwargs=row.args,
        attempts=attempts,
    )
    context = JobContext(app=app, job=job, start_timestamp=time.time(), abort_reason=lambda: None)
    task(context, **row.args)
