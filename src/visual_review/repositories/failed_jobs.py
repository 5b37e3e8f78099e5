"""Jobs that failed after all of their attempts, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Max, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.kernel.errors import NotFoundError, describe_last_error
from visual_review.repositories.models import HostAccount, JobFailure, Repository

UNKNOWN: Final = "There is no failed job with this number. It may have been run again already."
NO_REASON: Final = "No reason was recorded; see the service's log."


@dataclass(frozen=True)
class FailedJob:
    """``arguments`` are the job's arguments: ids of the processed things."""

    id: int
    name: str
    arguments: Mapping[str, Any]
    failed_at: datetime
    reason: str


def record_failure(job_id: int, error: Exception) -> None:
    """Store why a job failed for good."""
    reason = describe_last_error(error)
    JobFailure.objects.update_or_create(job_id=job_id, defaults={"reason": reason})


def delete_old_failures() -> None:
    """Delete the reasons of jobs already deleted or run again by the queue."""
    failed = ProcrastinateJob.objects.filter(status="failed").values("id")
    JobFailure.objects.exclude(job_id__in=failed).delete()


def list_failed_jobs(
    organization_id: str | None = None, most: int | None = None
) -> list[FailedJob]:
    """Return failed jobs, the newest first: of the organization, or without one, of the service."""
    rows = list(
        _failed(organization_id)
        .annotate(failed_at=Max("procrastinateevent__at"))
        .order_by("-failed_at", "-id")[:most]
    )
    reasons = dict(
        JobFailure.objects.filter(job_id__in=[row.id for row in rows]).values_list(
            "job_id", "reason"
        )
    )
    return [
        FailedJob(row.id, row.task_name, row.args, row.failed_at, reasons.get(row.id, NO_REASON))
        for row in rows
    ]


def has_failed_jobs(organization_id: str) -> bool:
    return _failed(organization_id).exists()


def require_failed_job(organization_id: str, job_id: int) -> str:
    """Return the name of the organization's failed job; raises NotFoundError."""
    name = _failed(organization_id).filter(pk=job_id).values_list("task_name", flat=True).first()
    if name is None:
        raise NotFoundError(UNKNOWN)
    return name


def _failed(organization_id: str | None) -> QuerySet[ProcrastinateJob]:
    rows: QuerySet[ProcrastinateJob] = ProcrastinateJob.objects.filter(status="failed")
    if organization_id is None:
        return rows
    repositories = Repository.objects.filter(organization_id=organization_id).values("id")
    accounts = HostAccount.objects.filter(organization_id=organization_id).values("id")
    return rows.annotate(
        for_repository=KeyTextTransform("repository_id", "args"),
        for_account=KeyTextTransform("account_id", "args"),
    ).filter(
        Q(args__organization_id=organization_id)
        | Q(for_repository__in=repositories)
        | Q(for_account__in=accounts)
    )
