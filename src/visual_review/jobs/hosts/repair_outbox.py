"""Repairs what a crash or an outage left of the outbox, so that no status stays behind for good.

Every change enqueues the telling of it in its own transaction, so this finds something only where
a job was lost, an account was connected after its builds, or rows came back from a backup.
"""

import logging
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.builds.models import Build, HostMessage
from visual_review.builds.notifying.outbox import (
    DELIVER_NOTIFICATIONS,
    DROPPED,
    FAILED,
    REJECTION,
    SENT,
    STATUS,
    WAITING,
    enqueue_notification,
    notify_hosts,
    renew,
)
from visual_review.builds.notifying.statuses import SUMMARY
from visual_review.builds.notifying.summaries import FOREIGN
from visual_review.jobs.hosts.calls.message_content import as_posted, current_status
from visual_review.jobs.hosts.deliver_notifications import DELIVER_NOTIFICATIONS_LATER
from visual_review.kernel.clock import now

# Longer than a job waits for its turn on a machine that is busy.
LOST_AFTER: Final = timedelta(minutes=2)
# Older commits are merged or forgotten; nobody waits for their statuses.
MISSED_FOR: Final = timedelta(days=7)
# Some runs of this job see every change.
LOOKED_BACK: Final = timedelta(hours=2)
AT_ONCE: Final = 500
TRIED_FOR_A_DAY: Final = 24
# Long after anybody looks for them. Rows of comments stay: by them the comment is found again.
KEPT_FOR: Final = timedelta(days=90)

logger = logging.getLogger(__name__)


def resume_waiting() -> int:
    """Enqueue streams that wait for nobody; answers how many."""
    moment = now()
    overdue = HostMessage.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lt=moment - LOST_AFTER),
        state=WAITING,
        changed_at__lt=moment - LOST_AFTER,
        repository__removed_at=None,
    )
    waiting = set(overdue.values_list("repository_id", "stream").distinct())
    if not waiting:
        return 0
    # The jobs are looked for after the rows: one that ends in between leaves nothing to do.
    # An alarm for much later was set for another message of the stream.
    jobs = ProcrastinateJob.objects.filter(
        Q(scheduled_at=None) | Q(scheduled_at__lt=moment + LOST_AFTER),
        task_name__in=(DELIVER_NOTIFICATIONS, DELIVER_NOTIFICATIONS_LATER),
        status__in=("todo", "doing"),
    )
    lost = sorted(waiting - set(jobs.values_list("args__repository_id", "args__stream")))
    for repository_id, stream in lost:
        enqueue_notification(repository_id, [stream])
    return len(lost)


def enqueue_missed_notifications() -> int:
    """Tell of builds whose status no row speaks of; answers how many."""
    row = HostMessage.objects.filter(
        repository=OuterRef("repository"),
        kind=STATUS,
        commit=OuterRef("commit"),
        context=Concat(Value(f"{SUMMARY}/"), OuterRef("product__key")),
    )
    missed = _connected().filter(~Exists(row), created_at__gt=now() - MISSED_FOR)
    builds = list(missed.order_by("-number")[:AT_ONCE])
    for build in builds:
        with transaction.atomic():
            notify_hosts(build)
    return len(builds)


def renew_outdated() -> int:
    """Tell again where the host has other words than it should have; answers how many."""
    since = now() - LOOKED_BACK
    moved = _connected().filter(
        Q(last_upload_at__gt=since) | Q(completed_at__gt=since) | Q(decided_at__gt=since)
    )
    rows = (
        HostMessage.objects.filter(
            Exists(moved.filter(repository=OuterRef("repository"), commit=OuterRef("commit"))),
            kind=STATUS,
            # Dropped ones too: the account may be connected again.
            state__in=(SENT, DROPPED),
        )
        .select_related("repository")
        .order_by("repository_id", "commit", "context")
    )
    outdated = [row for row in rows if _is_outdated(row)]
    for row in outdated:
        renew(row)
    return len(outdated)


def retry_failed() -> int:
    """Try again, for a day or so, what a host refused; answers how many messages."""
    failed = HostMessage.objects.filter(
        state=FAILED,
        next_try_at__lt=now(),
        attempts__lt=TRIED_FOR_A_DAY,
        repository__removed_at=None,
    )
    rows = list(failed.order_by("next_try_at")[:AT_ONCE])
    for message in rows:
        renew(message)
    return len(rows)


def forget_old() -> int:
    """Delete rows of statuses and rejections that were told long ago; answers how many."""
    old = HostMessage.objects.filter(
        kind__in=(STATUS, REJECTION), changed_at__lt=now() - KEPT_FOR
    ).exclude(state=WAITING)
    return old.delete()[0]


def _connected() -> QuerySet[Build]:
    return (
        Build.objects.filter(
            repository__host_account__isnull=False,
            repository__host_problem="",
            repository__removed_at=None,
        )
        .exclude(FOREIGN)
        .select_related("repository", "product")
    )


def _is_outdated(row: HostMessage) -> bool:
    status = current_status(row.repository, row.commit, row.context)
    return status is not None and as_posted(status) != row.told


# Not with the other work of every fifth minute.
@app.periodic(cron="3-59/10 * * * *")
@app.task(name="repair_host_messages", queue="hosts", queueing_lock="repair_host_messages")
def repair_host_messages(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    forget_old()
    found = resume_waiting(), enqueue_missed_notifications(), renew_outdated(), retry_failed()
    if any(found):
        logger.warning(
            "outbox: %s streams resumed, %s builds missed, %s statuses outdated, %s tried again",
            *found,
        )
