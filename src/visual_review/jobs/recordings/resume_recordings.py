"""Enqueues processing or deletion again for recordings that have lost their job.

A row and its job are stored together. A job can still be lost: deleted by hand, or failed for good
while the database or the storage was unavailable.
"""

import logging
from datetime import timedelta

from django.db.models import QuerySet
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.kernel.clock import now
from visual_review.recordings.models import Recording
from visual_review.recordings.removal import DELETE_RECORDING, enqueue_deletion
from visual_review.recordings.states import PROCESSING
from visual_review.recordings.uploads import PROCESS_RECORDING, enqueue_processing

LOST_AFTER = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def resume_lost_recordings() -> int:
    """Enqueue every recording without a job that has waited a while; return how many."""
    quiet_since = now() - LOST_AFTER
    rows = Recording.objects.select_related("repository")
    waiting = rows.filter(status=PROCESSING, deleted_at=None, last_upload_at__lt=quiet_since)
    lost = _without_job(waiting, PROCESS_RECORDING)
    for recording in lost:
        enqueue_processing(recording.id, recording.repository.organization_id)
        logger.warning("recording %s had lost its job and was enqueued again", recording.id)
    hidden = _without_job(rows.filter(deleted_at__lt=quiet_since), DELETE_RECORDING)
    for recording in hidden:
        enqueue_deletion(recording)
        logger.warning("recording %s had lost its deletion, which was enqueued again", recording.id)
    return len(lost) + len(hidden)


def _without_job(rows: QuerySet[Recording], task: str) -> list[Recording]:
    found = list(rows)
    if not found:
        return []
    # Query jobs after the rows: a job that ends in between has nothing left to do.
    jobs = ProcrastinateJob.objects.filter(task_name=task, status__in=("todo", "doing"))
    queued_ids = set(jobs.values_list("args__recording_id", flat=True))
    return [row for row in found if row.id not in queued_ids]


@app.periodic(cron="*/5 * * * *")
@app.task(name="resume_recordings", queue="upkeep", queueing_lock="resume_recordings")
def resume_recordings(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    resume_lost_recordings()
