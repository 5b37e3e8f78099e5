"""Expire builds with unfinished uploads, and delete unneeded uploads."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.models import Build
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.publishing.uploads import INCOMING, IncomingImage, parse_incoming_key
from visual_review.builds.states import EXPIRED, PROCESSING, UPLOADING
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now

KEYS_AT_ONCE = 1000


def expire_builds() -> int:
    """Expire builds without an upload for ``UPLOAD_EXPIRY_SECONDS``; return how many."""
    idle_since = now() - timedelta(seconds=settings.UPLOAD_EXPIRY_SECONDS)
    idle = Build.objects.filter(status=UPLOADING, last_upload_at__lt=idle_since)
    return sum(_expire(build_id, idle_since) for build_id in idle.values_list("pk", flat=True))


@transaction.atomic
def _expire(build_id: str, idle_since: datetime) -> bool:
    # A locked row means CI is sending something right now.
    build = (
        Build.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .filter(pk=build_id, status=UPLOADING, last_upload_at__lt=idle_since)
        .select_related("repository")
        .first()
    )
    if build is None:
        return False
    build.status = EXPIRED
    build.failure = "The uploads did not finish in time. Publish again."
    build.save(update_fields=["status", "failure"])
    change = Change(
        "build.expired",
        build_target(build),
        before={"status": UPLOADING},
        after={"status": EXPIRED},
    )
    record(build.repository.organization_id, SYSTEM, change)
    notify_hosts(build)
    return True


def sweep_incoming(blobs: BlobStore) -> int:
    """Delete uploaded bytes of builds that accept no more; return how many.

    Such bytes remain if a job is interrupted between storing an image and deleting its upload, if a
    build expires, and if an upload URL is used after its build was processed.
    """
    count = 0
    uploads = filter(None, (parse_incoming_key(key) for key in blobs.keys(INCOMING)))
    for batch in _batches(uploads):
        ids = {upload.build_id for upload in batch}
        waiting = Build.objects.filter(pk__in=ids, status__in=(UPLOADING, PROCESSING))
        needed = set(waiting.values_list("pk", flat=True))
        stale = [upload.key for upload in batch if upload.build_id not in needed]
        blobs.delete(stale)
        count += len(stale)
    return count


def _batches(uploads: Iterable[IncomingImage]) -> Iterator[list[IncomingImage]]:
    rest = iter(uploads)
    while batch := list(islice(rest, KEYS_AT_ONCE)):
        yield batch
