"""Whether approvals carry over across pull requests: a setting of each repository."""

from visual_review.repositories.models import Repository


def choose_carry_over(repository: Repository, *, across: bool) -> bool:
    """Store the choice; return whether the setting changed."""
    # A weaker lock: builds refer to the row, and creating a build must not wait for this lock.
    locked = Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    before = locked.carries_approvals_over
    locked.carries_approvals_over = across
    locked.save(update_fields=["carries_approvals_over"])
    return before != across
