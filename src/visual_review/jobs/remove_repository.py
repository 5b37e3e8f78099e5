"""Deletes a removed repository's rows; the bytes follow in jobs of their own."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.removal import delete_repository
from visual_review.repositories.models import Repository
from visual_review.repositories.removal import REMOVE_REPOSITORY

# Pauses grow threefold, so the last tries come days later, when a lost storage is back.
RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)


@app.task(name=REMOVE_REPOSITORY, queue="upkeep", retry=RETRY)
def remove_repository(repository_id: str) -> None:
    # Only what is marked as removed: a wrong id in the queue must not delete a live repository.
    repository = Repository.objects.filter(pk=repository_id, removed_at__isnull=False).first()
    if repository is not None:
        delete_repository(repository)
