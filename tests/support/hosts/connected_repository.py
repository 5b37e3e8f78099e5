"""A repository connected to the provider in memory; tests run its jobs like a worker."""

from dataclasses import dataclass, field

from django.db.models import QuerySet
from procrastinate.contrib.django.models import ProcrastinateJob
from scripts.local_host.memory import MemoryWorld

from tests.support.host_accounts import host_world
from tests.support.personas import Persona
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.builds.models import Build, HostMessage
from visual_review.builds.notifying.outbox import enqueue_notification
from visual_review.jobs.builds.compare_build import compare_build
from visual_review.jobs.hosts.deliver_notifications import (
    deliver_notifications,
    deliver_notifications_later,
)
from visual_review.kernel.clock import now
from visual_review.repositories.models import HostAccount, Repository

NAME = "acme/web"
COMMIT = "a" * 40
JOBS = {job.name: job for job in (deliver_notifications, deliver_notifications_later)}
MOST_JOBS = 200


@dataclass
class ConnectedRepository:
    """``world`` publishes and decides, ``host`` receives the statuses and comments."""

    world: World
    account: HostAccount
    build: Build = field(init=False)
    """The published build, if any."""
    doing: dict[str, str] | None = None

    @property
    def host(self) -> MemoryWorld:
        return host_world()

    @property
    def row(self) -> Repository:
        return self.world.repository

    def open_pull_request(self, commit: str = COMMIT) -> int:
        return self.host.open_pull_request(NAME, "feature", commit).number

    def statuses(self, commit: str = COMMIT) -> dict[str, str]:
        """Return context -> state, as people see them at the provider."""
        found = self.host.statuses_of(NAME, commit)
        return {context: status.state for context, status in found.items()}

    def description(self, context: str, commit: str = COMMIT) -> str:
        return self.host.statuses_of(NAME, commit)[context].description

    def comments(self, number: int = 1) -> list[str]:
        return [comment.body for comment in self.host.comments_of(NAME, number)]

    def approve(self, build: Build) -> None:
        self.world.approve(build)

    def reject(self, build: Build, story: str, comment: str | None = "Too blue") -> None:
        """Reject a screenshot more than ten seconds ago: the comment is due."""
        payload = {} if comment is None else {"comment": comment}
        shot = self.world.shot(build, story)
        self.world.act("review_screenshot", screenshotId=shot.id, state="rejected", **payload)
        self.pass_rejection_delay()

    def pass_rejection_delay(self) -> None:
        """Make comments due that are held back in case that their rejection is undone."""
        HostMessage.objects.filter(kind="rejection", state="waiting", attempts=0).update(
            next_try_at=None
        )

    def compare_again(self, build: Build) -> None:
        compare_build(build.id)

    def message(self, **wanted: object) -> HostMessage:
        return HostMessage.objects.get(**wanted)

    def run_jobs(self) -> None:
        """Run the jobs that are due, and those they enqueue, one after the other."""
        for _ in range(MOST_JOBS):
            job = self._jobs().filter(scheduled_at=None).first()
            if job is None:
                return
            self._do(job)
        raise AssertionError("The jobs never end.")

    def pass_time(self) -> None:
        """Run everything that is scheduled for later, as if all pauses were over."""
        self.run_jobs()
        HostMessage.objects.filter(state="waiting").update(next_try_at=now())
        HostAccount.objects.update(paused_until=None)
        for job in self._jobs():
            self._do(job)
        self.run_jobs()

    def requeue(self) -> None:
        """Enqueue the job again that was running when its worker was killed."""
        assert self.doing is not None
        enqueue_notification(self.doing["repository_id"], [self.doing["stream"]])

    def lose_jobs(self) -> None:
        self._jobs()._raw_delete("default")  # noqa: SLF001 - The model is read-only.

    def _jobs(self) -> QuerySet[ProcrastinateJob]:
        return ProcrastinateJob.objects.filter(task_name__in=JOBS, status="todo").order_by("id")

    def _do(self, job: ProcrastinateJob) -> None:
        # Removed first, as a worker does: what is enqueued meanwhile is another job.
        ProcrastinateJob.objects.filter(pk=job.pk)._raw_delete("default")  # noqa: SLF001 - See above.
        self.doing = dict(job.args)
        JOBS[job.task_name](**job.args)


@scene
def connect_repository(persona: Persona) -> ConnectedRepository:
    """Create a connected repository without a build."""
    world = World(persona, NAME)
    return ConnectedRepository(world, world.connect_host())


@scene
def repository_with_build(
    persona: Persona, shots: dict[str, str], *, pull_request: bool = True, delivered: bool = False
) -> ConnectedRepository:
    """Create one with a build of ``COMMIT``; ``delivered`` says whether notifications were sent."""
    repository = connect_repository(persona)
    if pull_request:
        repository.open_pull_request()
        order = {"branch": "feature", "target": "main"}
    else:
        order = {}
    repository.build = repository.world.publish(shots, commit=COMMIT, **order)
    if delivered:
        repository.run_jobs()
    return repository
