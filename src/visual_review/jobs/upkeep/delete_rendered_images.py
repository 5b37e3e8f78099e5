"""Deletes the rendered images of a removed repository."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.images.render_cache import DELETE_RENDERED, delete_rendered
from visual_review.kernel.blobs import blob_store

# Pauses triple, so the last attempts are days later, when the storage is back.
RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)


@app.task(name=DELETE_RENDERED, queue="cleaning", retry=RETRY)
def delete_rendered_images(organization_id: str, repository_id: str) -> None:
    delete_rendered(organization_id, repository_id, blob_store())
