"""Carries a merged pull request's approvals over to undecided builds of its base branch."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.models import PullRequest
from visual_review.builds.pull_requests.tracking import CARRY_OVER_AFTER_MERGE
from visual_review.builds.reviewing.carry_over import carry_over_on_base_branch

RETRY = RetryStrategy(max_attempts=10, exponential_wait=3)


@app.task(name=CARRY_OVER_AFTER_MERGE, queue="builds", retry=RETRY)
def carry_over_after_merge(pull_request_id: int, repository_id: str = "") -> None:  # noqa: ARG001 - The queue reads it: repositories take turns.
    merged = PullRequest.objects.filter(pk=pull_request_id).first()
    if merged is not None:
        carry_over_on_base_branch(merged)
