"""A world connected to the Git provider in memory; tests run its jobs like a worker."""

import time
from collections.abc import Iterable
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
from tests.support.worlds import Shots, World
from visual_review.builds.models import Build, HostMessage, PullRequest
from visual_review.builds.notifying.outbox import enqueue_notification
from visual_review.hosts.port import Event
from visual_review.jobs.hosts.deliver_notifications import (
    deliver_notifications,
    deliver_notifications_later,
)
from visual_review.kernel.clock import now
from visual_review.repositories.models import HostAccount, Repository

NAME = "acme/web"
COMMIT = "1" * 40
NOTIFICATIONS = (deliver_notifications.name, deliver_notifications_later.name)
MOST_JOBS = 200


@dataclass
class HostedWorld(World):
    """``host`` sends webhooks, and receives the statuses and comments."""

    account: HostAccount = field(init=False)
    build: Build = field(init=False)
    """The published build, if any."""
    running: ProcrastinateJob = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.account = self.connect_host()

    @property
    def host(self) -> MemoryWorld:
        return host_world()

    @property
    def stored_repository(self) -> Repository:
        return Repository.objects.get(pk=self.repository.pk)

    @property
    def pull_request(self) -> PullRequest:
        """The row of number 1."""
        return PullRequest.objects.get(repository=self.repository, number=1)

    def open_pull_request(self, commit: str = COMMIT) -> int:
        return self.host.open_pull_request(NAME, "feature", commit).number

    def publish_change(self, shots: Shots, target: str = "main", **order: object) -> Build:
        """Publish a build of the pull request."""
        return self.publish(shots, "feature", target=target, **{"commit": COMMIT, **order})

    def reject(self, build: Build, story: str, comment: str | None = "Too blue") -> None:
        """Reject a screenshot more than ten seconds ago: the comment is due."""
        payload = {} if comment is None else {"comment": comment}
        shot = self.shot(build, story)
        self.act("review_screenshot", screenshotId=shot.id, state="rejected", **payload)
        self.pass_rejection_delay()

    def pass_rejection_delay(self) -> None:
        """Make delayed comments due: a comment waits in case the rejection is undone."""
        HostMessage.objects.filter(kind="rejection", state="waiting", attempts=0).update(
            next_try_at=None
        )

    def statuses(self, commit: str = COMMIT) -> dict[str, str]:
        """Return context -> state, as the provider shows both to people."""
        found = self.host.statuses_of(NAME, commit)
        return {context: status.state for context, status in found.items()}

    def description(self, context: str, commit: str = COMMIT) -> str:
        return self.host.statuses_of(NAME, commit)[context].description

    def comments(self, number: int = 1) -> list[str]:
        return [comment.body for comment in self.host.comments_of(NAME, number)]

    def message(self, **wanted: object) -> HostMessage:
        return HostMessage.objects.get(**wanted)

    def deliver_webhooks(self, events: Iterable[Event] | None = None) -> None:
        """Send all new events, or the given ones, to the webhook endpoint, and run the jobs."""
        for event in self.host.take_events() if events is None else events:
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
        """Run the due jobs, and the jobs enqueued by them, but send no notifications."""
        self._run(waiting_jobs())

    def notify(self) -> None:
        """Send the due notifications."""
        self._run(waiting_notifications().filter(scheduled_at=None))

    def notify_later(self) -> None:
        """Send all notifications, as if all pauses were over."""
        self.notify()
        HostMessage.objects.filter(state="waiting").update(next_try_at=now())
        HostAccount.objects.update(paused_until=None)
        for job in waiting_notifications():
            self._run_one(job)
        self.notify()

    def requeue(self) -> None:
        """Enqueue the interrupted notification of a killed worker again."""
        args = self.running.args
        enqueue_notification(args["repository_id"], [args["stream"]])

    def lose_notifications(self) -> None:
        waiting_notifications()._raw_delete("default")  # noqa: SLF001 - The model is read-only.

    def _run(self, jobs: QuerySet[ProcrastinateJob]) -> None:
        for _ in range(MOST_JOBS):
            job = jobs.first()
            if job is None:
                return
            self._run_one(job)
        raise AssertionError("The jobs never end.")

    def _run_one(self, job: ProcrastinateJob) -> None:
        # Removed first, as in a worker: a job enqueued meanwhile is another job.
        ProcrastinateJob.objects.filter(pk=job.pk)._raw_delete("default")  # noqa: SLF001 - As above.
        self.running = job
        run_job(job)


def waiting_jobs() -> QuerySet[ProcrastinateJob]:
    """Return the due jobs without notifications."""
    rows = ProcrastinateJob.objects.filter(status="todo", scheduled_at=None)
    return rows.exclude(task_name__in=NOTIFICATIONS).order_by("id")


def waiting_notifications() -> QuerySet[ProcrastinateJob]:
    rows = ProcrastinateJob.objects.filter(task_name__in=NOTIFICATIONS, status="todo")
    return rows.order_by("id")


def run_job(row: ProcrastinateJob, attempts: int = 0) -> None:
    # Jobs are imported only in the process that runs them.
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


@scene
def hosted_world(persona: Persona) -> HostedWorld:
    """Return a world without a build."""
    return HostedWorld(persona)


@scene
def world_with_build(
    persona: Persona, shots: dict[str, str], *, pull_request: bool = True, notified: bool = False
) -> HostedWorld:
    """Return a world with a build of ``COMMIT``, of pull request #1 or of ``main``."""
    world = HostedWorld(persona)
    if pull_request:
        world.open_pull_request()
        world.build = world.publish_change(shots)
    else:
        world.build = world.publish(shots, commit=COMMIT)
    if notified:
        world.notify()
    return world


@scene
def world_with_pull_request(
    persona: Persona, shots: dict[str, str] | None = None, *, approved: bool = False
) -> HostedWorld:
    """Return a world where ``main`` shows red and ``release`` green, both ``same`` in white.

    Pull request #1 has a build of ``shots`` if given.
    """
    world = HostedWorld(persona)
    for branch, color in (("main", "red"), ("release", "green")):
        world.approve(world.publish({"a": color, "same": "white"}, branch))
    opened = world.host.open_pull_request(NAME, "feature", COMMIT, title="Buttons")
    assert opened.number == 1
    if shots is not None:
        world.build = world.publish_change(shots)
    if approved:
        world.approve(world.build)
    return world
