"""Removing a repository: hidden immediately, then deleted by an interruptible job."""

from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository
from visual_review.repositories.tokens import revoke_tokens

REMOVE_REPOSITORY = "remove_repository"


def mark_removed(repository: Repository) -> None:
    """Hide the locked row, revoke its tokens, and queue the deletion of all its data."""
    repository.removed_at = now()
    repository.save(update_fields=["removed_at"])
    revoke_tokens(repository)
    enqueue_removal(repository.id)


def enqueue_removal(repository_id: str) -> None:
    """Queue the deletion of the marked repository, unless a job is already waiting."""
    enqueue(
        REMOVE_REPOSITORY,
        lock=f"remove:{repository_id}",
        once=f"remove:{repository_id}",
        repository_id=repository_id,
    )
