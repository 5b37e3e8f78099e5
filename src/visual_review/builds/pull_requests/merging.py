"""A merged pull request's approvals are looked for again where it went."""

from visual_review.builds.models import Build, PullRequest
from visual_review.builds.pull_requests.ordering import MERGED
from visual_review.kernel.queue import enqueue

CARRY_OVER_AFTER_MERGE = "carry_to_target"


def carry_over_after_merge(pull_request: PullRequest) -> None:
    """Have the undecided builds of the target looked at again, after the open transaction."""
    # A job of its own for each change: one that waits already may run before this one commits.
    enqueue(
        CARRY_OVER_AFTER_MERGE,
        lock=f"{CARRY_OVER_AFTER_MERGE}:{pull_request.pk}",
        pull_request_id=pull_request.pk,
    )


def carry_over_if_merged(build: Build) -> None:
    """After an approval: the target may have been compared before it, and waits undecided."""
    if build.pull_request is None:
        return
    # Locked, so that the news of a merge which come at this moment are noted after the approval,
    # whose job then sees it, or are seen here.
    known = (
        PullRequest.objects.select_for_update(no_key=True)
        .filter(repository_id=build.repository_id, number=build.pull_request)
        .first()
    )
    if known is not None and known.state == MERGED:
        carry_over_after_merge(known)
