"""Builds whose uploads never finished, and bytes that nobody waits for any more."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.models import Build
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.publishing.uploads import INCOMING, Incoming, incoming_of
from visual_review.builds.states import EXPIRED, PROCESSING, UPLOADING
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now

KEYS_AT_ONCE = 1000


def expire_builds() -> int:
    """End every build CI has left for ``UPLOAD_EXPIRY_SECONDS``; answers how many."""
    quiet_since = now() - timedelta(seconds=settings.UPLOAD_EXPIRY_SECONDS)
    left = Build.objects.filter(status=UPLOADING, last_upload_at__lt=quiet_since)
    return sum(_expire(build_id, quiet_since) for build_id in left.values_list("pk", flat=True))


@transaction.atomic
def _expire(build_id: str, quiet_since: datetime) -> bool:
    # Somebody who holds the row is just now sending something.
    build = (
        Build.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .filter(pk=build_id, status=UPLOADING, last_upload_at__lt=quiet_since)
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
    """Delete uploaded bytes of builds that take no more; answers how many.

    They stay behind when a job is cut between keeping an image and deleting its upload, when
    a build expires, and when an address is used after its build was processed.
    """
    count = 0
    places = filter(None, (incoming_of(key) for key in blobs.keys(INCOMING)))
    for part in _parts(places):
        ids = {place.build_id for place in part}
        waiting = Build.objects.filter(pk__in=ids, status__in=(UPLOADING, PROCESSING))
        kept = set(waiting.values_list("pk", flat=True))
        stale = [place.key for place in part if place.build_id not in kept]
        blobs.delete(stale)
        count += len(stale)
    return count


def _parts(places: Iterable[Incoming]) -> Iterator[list[Incoming]]:
    rest = iter(places)
    while part := list(islice(rest, KEYS_AT_ONCE)):
        yield part
