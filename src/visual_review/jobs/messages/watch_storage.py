"""Publishes a warning, once a day, while the disk with the images is nearly full."""

import shutil
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from procrastinate.contrib.django import app

from visual_review.accounts.members import admins_of
from visual_review.accounts.models import Organization
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.messages.event_types import STORAGE_LOW
from visual_review.messages.events import publish_event
from visual_review.messages.models import Event

LOW: Final = 0.1
AGAIN_AFTER: Final = timedelta(days=1)


@app.periodic(cron="10 * * * *")
@app.task(name="watch_storage", queue="upkeep", queueing_lock="watch_storage")
def watch_storage(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    folder = blob_store().folder
    # The size of a bucket is unknown.
    total, _, free = shutil.disk_usage(folder) if folder else (0, 0, 0)
    if free >= LOW * total:
        return
    recent = Event.objects.filter(type=STORAGE_LOW, created_at__gt=now() - AGAIN_AFTER)
    done = set(recent.values_list("organization_id", flat=True))
    for organization_id in Organization.objects.exclude(pk__in=done).values_list("pk", flat=True):
        people = {each.pk: STORAGE_LOW for each in admins_of(organization_id)}
        describe = partial(_describe, free, total)
        publish_event(STORAGE_LOW, organization_id, STORAGE_LOW, describe, people)


def _describe(free: int, total: int) -> dict[str, Any]:
    text = (
        f"{free // 10**6:,} of {total // 10**6:,} MB are free. Once the disk is full, no build can "
        "be published. Delete builds earlier, or move the data to a larger disk."
    )
    return {
        "text": text,
        "url": f"{settings.PUBLIC_URL}/storage",
        "freeBytes": free,
        "totalBytes": total,
        # The event belongs to no repository, so channels of a repository do not get the event.
        "repository": {"id": None, "name": None},
        "branch": "",
    }
