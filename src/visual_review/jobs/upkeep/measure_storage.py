"""Measures how much storage an organization's repositories use."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.accounts.models import Organization
from visual_review.builds.images.render_cache import rendered_bytes
from visual_review.builds.images.usage import image_usage_of, stored_image_usage
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now
from visual_review.recordings.read_models import measure_recordings
from visual_review.repositories.models import Repository, StorageUse
from visual_review.repositories.queries import repositories_of
from visual_review.repositories.quotas import (
    MEASURE_STORAGE,
    add_uses,
    enqueue_measuring,
    store_measured,
)

RETRY = RetryStrategy(max_attempts=5, exponential_wait=3)


@app.task(name=MEASURE_STORAGE, queue="upkeep", retry=RETRY)
def measure_storage(organization_id: str) -> None:
    blobs = blob_store()
    uses = [_use_of(row, blobs) for row in list(repositories_of(organization_id))]
    stored = stored_image_usage(organization_id)
    total = StorageUse(
        organization_id=organization_id,
        images=stored.count,
        images_bytes=stored.bytes,
        pictures_bytes=sum(use.pictures_bytes for use in uses)
        + sum(_folder_bytes(folder, organization_id, blobs) for folder in ("diffs", "thumbnails")),
        recordings=sum(use.recordings for use in uses),
        recordings_bytes=sum(use.recordings_bytes for use in uses),
        measured_at=now(),
    )
    add_uses(organization_id, [*uses, total])
    store_measured(organization_id, total.total_bytes)


def _folder_bytes(folder: str, organization_id: str, blobs: BlobStore) -> int:
    return sum(size for _, size in blobs.sizes(f"{folder}/{organization_id}"))


def _use_of(repository: Repository, blobs: BlobStore) -> StorageUse:
    shown = image_usage_of(repository)
    recordings, recordings_bytes = measure_recordings(repository)
    return StorageUse(
        organization_id=repository.organization_id,
        repository=repository,
        images=shown.count,
        images_bytes=shown.bytes,
        pictures_bytes=rendered_bytes(repository, blobs),
        recordings=recordings,
        recordings_bytes=recordings_bytes,
        measured_at=now(),
    )


# After the nightly sweep, so that the page shows the result in the morning.
@app.periodic(cron="20 4 * * *")
@app.task(name="measure_all_storage", queue="upkeep", queueing_lock="measure_all_storage")
def measure_all_storage(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    for organization_id in Organization.objects.values_list("pk", flat=True):
        enqueue_measuring(organization_id)
