"""Repairs the outbox after a crash or an outage, so that no status stays outdated for good.

Every change enqueues its notification in the same transaction, so the repair finds something only
when a job was lost, an account was connected after its builds, or rows were restored from a backup.
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
    DELIVER_NOTIFICATIONS_LATER,
    DROPPED,
    FAILED,
    FORK_WITHOUT_PULL_REQUEST,
    REJECTION,
    SENT,
    STATUS,
    SUMMARY,
    WAITING,
    enqueue_notification,
    notify_hosts,
    requeue_message,
)
from visual_review.jobs.hosts.calls.message_content import current_status, status_content
from visual_review.kernel.clock import now

# Longer than a job waits on a busy machine.
LOST_AFTER: Final = timedelta(minutes=2)
# Older commits are merged or abandoned; their statuses do not matter.
MISSED_WITHIN: Final = timedelta(days=7)
# Longer than the interval, so that several runs see every change.
LOOKBACK: Final = timedelta(hours=2)
AT_ONCE: Final = 500
MAX_HOURLY_ATTEMPTS: Final = 24
# Rows of comments stay, with the id of the comment.
KEEP_FOR: Final = timedelta(days=90)

logger = logging.getLogger(__name__)


def resume_waiting_streams() -> int:
    """Enqueue waiting streams without a job; return how many."""
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
    # Query jobs after the rows: a job that ends in between has nothing left to do. A job scheduled
    # for much later is for another message of the stream.
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
    """Notify of builds without a status message; return how many."""
    row = HostMessage.objects.filter(
        repository=OuterRef("repository"),
        kind=STATUS,
        commit=OuterRef("commit"),
        context=Concat(Value(f"{SUMMARY}/"), OuterRef("product__key")),
    )
    missed = _connected_builds().filter(~Exists(row), created_at__gt=now() - MISSED_WITHIN)
    builds = list(missed.order_by("-number")[:AT_ONCE])
    for build in builds:
        with transaction.atomic():
            notify_hosts(build)
    return len(builds)


def renew_outdated_statuses() -> int:
    """Send statuses again if the posted status differs; return how many."""
    since = now() - LOOKBACK
    changed = _connected_builds().filter(
        Q(last_upload_at__gt=since) | Q(completed_at__gt=since) | Q(decided_at__gt=since)
    )
    rows = (
        HostMessage.objects.filter(
            Exists(changed.filter(repository=OuterRef("repository"), commit=OuterRef("commit"))),
            kind=STATUS,
            # Dropped ones too: the account may have been connected again.
            state__in=(SENT, DROPPED),
        )
        .select_related("repository")
        .order_by("repository_id", "commit", "context")
    )
    outdated = [row for row in rows if _is_outdated(row)]
    for row in outdated:
        requeue_message(row)
    return len(outdated)


def retry_failed_messages() -> int:
    """Retry failed messages, for about a day; return how many."""
    failed = HostMessage.objects.filter(
        state=FAILED,
        next_try_at__lt=now(),
        attempts__lt=MAX_HOURLY_ATTEMPTS,
        repository__removed_at=None,
    )
    rows = list(failed.order_by("next_try_at")[:AT_ONCE])
    for message in rows:
        requeue_message(message)
    return len(rows)


def delete_old_messages() -> int:
    """Delete rows of statuses and rejections sent long ago; return how many."""
    old = HostMessage.objects.filter(
        kind__in=(STATUS, REJECTION), changed_at__lt=now() - KEEP_FOR
    ).exclude(state=WAITING)
    return old.delete()[0]


def _connected_builds() -> QuerySet[Build]:
    return (
        Build.objects.filter(
            repository__host_account__isnull=False,
            repository__host_problem="",
            repository__removed_at=None,
        )
        .exclude(FORK_WITHOUT_PULL_REQUEST)
        .select_related("repository", "product")
    )


def _is_outdated(row: HostMessage) -> bool:
    status = current_status(row.repository, row.commit, row.context)
    return status is not None and status_content(status) != row.sent_content


# Not at the same time as the jobs of every fifth minute.
@app.periodic(cron="3-59/10 * * * *")
@app.task(name="repair_host_messages", queue="hosts", queueing_lock="repair_host_messages")
def repair_host_messages(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    delete_old_messages()
    found = (
        resume_waiting_streams(),
        enqueue_missed_notifications(),
        renew_outdated_statuses(),
        retry_failed_messages(),
    )
    if any(found):
        logger.warning(
            "outbox: %s streams resumed, %s builds missed, %s statuses outdated, %s retried",
            *found,
        )
