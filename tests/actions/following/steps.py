"""A pull request at the host in memory, told by webhooks or asked for, with jobs run by hand."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.test import Client
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job

from tests.connected_host import WEBHOOK_SECRET, host_world
from tests.personas import Persona
from tests.worlds import World
from visual_review.builds.host_models import PullRequest
from visual_review.builds.models import Build
from visual_review.hosts.memory import MemoryWorld
from visual_review.hosts.memory.deliveries import signed_delivery
from visual_review.hosts.port import Event
from visual_review.repositories.models import HostAccount, Repository

NAME = "acme/web"
TURNS = 200
# Read again whenever they run, these have nothing to do with what is followed.
LEFT_OUT = ("tell_host", "tell_host_later")


@dataclass
class Followed:
    """``main`` shows red, ``release`` green; both show ``same`` in white."""

    persona: Persona
    world: World = field(init=False)
    host: MemoryWorld = field(init=False)
    account: HostAccount = field(init=False)

    def __post_init__(self) -> None:
        self.world, self.host = World(self.persona, NAME), host_world()
        self.account = self.world.connect_host()
        for branch, color in (("main", "red"), ("release", "green")):
            self.approve(self.world.publish({"a": color, "same": "white"}, branch))
        assert self.host.open_pull_request(NAME, "feature", "1" * 40, title="Buttons").number == 1

    @property
    def repository(self) -> Repository:
        return Repository.objects.get(pk=self.world.repository.pk)

    @property
    def pull_request(self) -> PullRequest:
        return PullRequest.objects.get(repository=self.world.repository, number=1)

    def publish(self, shots: Mapping[str, str], target: str = "main") -> Build:
        """A build of the pull request."""
        return self.world.publish(shots, "feature", target=target, commit="1" * 40)

    def approve(self, build: Build) -> None:
        self.world.act("approve_build", buildId=build.id)

    def events(self) -> list[Event]:
        return self.host.take_events()

    def deliver(self, events: Iterable[Event] | None = None) -> None:
        """Send what happened, or these, to the door, and run what follows."""
        for event in self.events() if events is None else events:
            headers, body = signed_delivery(event, WEBHOOK_SECRET)
            headers.pop("Content-Type")
            answer = Client().post(
                f"/api/webhooks/hosts/{self.account.id}",
                body,
                content_type="application/json",
                headers=headers,
            )
            assert answer.status_code in {200, 202}, answer.content
        self.run()

    def run(self) -> None:
        """Run the jobs that are due, and those they enqueue, one after the other."""
        for _ in range(TURNS):
            job = waiting().first()
            if job is None:
                return
            # Taken out first, as a worker does: what is enqueued meanwhile is another job.
            ProcrastinateJob.objects.filter(pk=job.pk)._raw_delete("default")  # noqa: SLF001 - The model is read-only.
            run_job(job)
        raise AssertionError("The jobs never end.")


def waiting() -> QuerySet[ProcrastinateJob]:
    rows = ProcrastinateJob.objects.filter(status="todo", scheduled_at=None)
    return rows.exclude(task_name__in=LEFT_OUT).order_by("id")


def run_job(row: ProcrastinateJob, attempts: int = 0) -> None:
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
