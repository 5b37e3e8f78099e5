"""Implements ``visual-review jobs``; needs Django."""

from collections.abc import Sequence

from django.db import transaction

from visual_review.audit.log import Actor, Change, Target, record
from visual_review.config.environment import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.queue import run_job_again
from visual_review.repositories.failed_jobs import FailedJob, list_failed_jobs

OPERATOR = Actor(kind="system", id="operator", name="Command line", channel="cli")


def list_failed() -> list[FailedJob]:
    check_migrations()
    return list_failed_jobs()


def run_again(job_ids: Sequence[int]) -> int:
    """Put failed jobs back into their queues, all of them if none is named; return how many.

    Raises StartupError, before any job is changed, for a number without a failed job.
    """
    check_migrations()
    failed = {job.id: job for job in list_failed_jobs()}
    if unknown := [str(each) for each in job_ids if each not in failed]:
        raise StartupError(
            f"There is no failed job {', '.join(unknown)}. 'visual-review jobs list' prints the "
            "failed jobs."
        )
    chosen = dict.fromkeys(job_ids or failed)
    with transaction.atomic():
        for job_id in chosen:
            run_job_again(job_id)
            change = Change("job.run_again", Target("job", str(job_id), failed[job_id].name))
            record(None, OPERATOR, change)
    return len(chosen)
