"""Deletes a removed repository's rows and recordings; separate jobs delete the images."""

from functools import partial

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.retention.repositories import RelatedData, delete_repository
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.removal import are_left, delete_some
from visual_review.repositories.connect import REMOVE_REPOSITORY
from visual_review.repositories.models import Repository

# Pauses triple, so the last attempts are days later, when the storage is back.
RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)


@app.task(name=REMOVE_REPOSITORY, queue="cleaning", retry=RETRY)
def remove_repository(repository_id: str) -> None:
    # Only if marked as removed: a wrong id in the queue must not delete a live repository.
    repository = Repository.objects.filter(pk=repository_id, removed_at__isnull=False).first()
    if repository is not None:
        recordings = RelatedData(partial(delete_some, blobs=blob_store()), are_left)
        delete_repository(repository, [recordings])
