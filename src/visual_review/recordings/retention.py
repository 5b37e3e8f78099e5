"""Which recordings are past their time, and deleting them."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from visual_review.audit.log import SYSTEM, Change, Target, record
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now, rfc3339
from visual_review.recordings.models import Recording
from visual_review.recordings.repository_removal import delete_whole
from visual_review.repositories.models import Repository

VERB: Final = "recording.retired"
ENDED: Final = ("ready", "failed")


def past_recordings(repository: Repository, before: datetime) -> QuerySet[Recording]:
    """The recordings that go when all older than ``before`` do; none that is under way."""
    rows = Recording.objects.filter(
        repository=repository, created_at__lt=before, status__in=ENDED, deleted_at=None
    )
    return rows.order_by("created_at", "id")


def retire_recording(recording_id: str, blobs: BlobStore) -> bool:
    """Hide a recording and tell the audit log, then delete bytes and row.

    Cut in between, it is one of the deleted recordings whose deletion goes on.
    """
    organization_id = _mark(recording_id)
    if organization_id is None:
        return False
    delete_whole(organization_id, recording_id, blobs)
    return True


@transaction.atomic
def _mark(recording_id: str) -> str | None:
    rows = Recording.objects.select_for_update(of=("self",)).select_related("repository")
    found = rows.filter(pk=recording_id, status__in=ENDED, deleted_at=None).first()
    if found is None:
        return None
    found.deleted_at = now()
    found.save(update_fields=["deleted_at"])
    organization_id = found.repository.organization_id
    change = Change(
        VERB,
        Target("recording", found.id, f"{found.repository.full_name} {found.title}"),
        before={"title": found.title, "createdAt": rfc3339(found.created_at)},
    )
    record(organization_id, SYSTEM, change)
    return organization_id
