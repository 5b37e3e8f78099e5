"""Expired recordings, deleted like the recordings deleted by a person."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.models import Recording
from visual_review.recordings.removal import hide
from visual_review.recordings.states import FAILED, READY
from visual_review.repositories.models import Repository

VERB: Final = "recording.retired"
ENDED: Final = (READY, FAILED)


def expired_recordings(repository: Repository, before: datetime) -> QuerySet[Recording]:
    """Return the recordings older than ``before``, without recordings still in progress."""
    rows = Recording.objects.filter(
        repository=repository, created_at__lt=before, status__in=ENDED, deleted_at=None
    )
    return rows.order_by("created_at", "id")


@transaction.atomic
def retire_recording(recording_id: str) -> bool:
    """Hide a recording, write an audit entry, and queue its deletion."""
    rows = Recording.objects.select_for_update(of=("self",)).select_related("repository")
    found = rows.filter(pk=recording_id, status__in=ENDED, deleted_at=None).first()
    if found is None:
        return False
    hide(found)
    change = Change(
        VERB,
        recording_target(found),
        before={"title": found.title, "createdAt": rfc3339(found.created_at)},
    )
    record(found.repository.organization_id, SYSTEM, change)
    return True
