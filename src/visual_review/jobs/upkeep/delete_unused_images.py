"""Deletes images and comparisons used only by deleted builds or repositories."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.retention.unused_images import DELETE_UNUSED, delete_unused
from visual_review.kernel.blobs import blob_store

# Pauses triple, so the last attempts are days later, when the storage is back.
RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)


@app.task(name=DELETE_UNUSED, queue="cleaning", retry=RETRY)
def delete_unused_images(organization_id: str, hashes: list[str], comparisons: list[str]) -> None:
    delete_unused(organization_id, hashes, comparisons, blob_store())
