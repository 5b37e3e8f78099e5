"""Recordings that wait for a job nobody has get one again, to be processed or to be deleted.

A job is written together with the row it is for. It can be lost all the same: deleted by hand, or
ended for good while the database or the storage was away.
"""

import logging
from datetime import timedelta

from django.db.models import QuerySet
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.kernel.clock import now
from visual_review.recordings.finish import PROCESS_RECORDING, enqueue_processing
from visual_review.recordings.models import Recording
from visual_review.recordings.removal import DELETE_RECORDING, enqueue_deletion
from visual_review.recordings.states import PROCESSING

LOST_AFTER = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def resume_lost_recordings() -> int:
    """Enqueue every recording that has waited a while and has no job; answers how many."""
    quiet_since = now() - LOST_AFTER
    rows = Recording.objects.select_related("repository")
    waiting = rows.filter(status=PROCESSING, deleted_at=None, last_upload_at__lt=quiet_since)
    lost = _without_job(waiting, PROCESS_RECORDING)
    for recording in lost:
        enqueue_processing(recording.id, recording.repository.organization_id)
        logger.warning("recording %s had lost its job and is processed again", recording.id)
    hidden = _without_job(rows.filter(deleted_at__lt=quiet_since), DELETE_RECORDING)
    for recording in hidden:
        enqueue_deletion(recording.id)
        logger.warning("recording %s had lost its deletion, which goes on", recording.id)
    return len(lost) + len(hidden)


def _without_job(rows: QuerySet[Recording], task: str) -> list[Recording]:
    found = list(rows)
    if not found:
        return []
    # The job is looked for after the row: one that ends in between leaves nothing to do.
    jobs = ProcrastinateJob.objects.filter(task_name=task, status__in=("todo", "doing"))
    alive = set(jobs.values_list("args__recording_id", flat=True))
    return [row for row in found if row.id not in alive]


@app.periodic(cron="*/5 * * * *")
@app.task(name="resume_recordings", queue="upkeep", queueing_lock="resume_recordings")
def resume_recordings(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    resume_lost_recordings()
