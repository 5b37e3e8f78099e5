"""Carry a merged pull request's approvals over to its base branch."""

from visual_review.builds.models import Build, PullRequest
from visual_review.builds.pull_requests.ordering import MERGED
from visual_review.kernel.queue import enqueue

CARRY_OVER_AFTER_MERGE = "carry_to_target"


def carry_over_after_merge(pull_request: PullRequest) -> None:
    """Enqueue a check of the base branch's undecided builds, after the open transaction."""
    # Each change gets its own job: a waiting job may run before this transaction commits.
    enqueue(
        CARRY_OVER_AFTER_MERGE,
        lock=f"{CARRY_OVER_AFTER_MERGE}:{pull_request.pk}",
        pull_request_id=pull_request.pk,
        repository_id=pull_request.repository_id,
    )


def carry_over_if_merged(build: Build) -> None:
    """Carry a new approval over if the base branch was compared earlier."""
    if build.pull_request is None:
        return
    # Locked: a merge reported at this moment is either recorded after the approval, whose job then
    # finds the merge, or visible here.
    known = (
        PullRequest.objects.select_for_update(no_key=True)
        .filter(repository_id=build.repository_id, number=build.pull_request)
        .first()
    )
    if known is not None and known.state == MERGED:
        carry_over_after_merge(known)
