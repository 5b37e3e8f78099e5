"""Check undecided builds of the base branch again after a pull request is merged.

They may have been processed before the approval, or before the merge was known.
"""

from django.db import transaction
from django.db.models import Q

from visual_review.builds.bulk_update import update_rows
from visual_review.builds.counts import count_screenshots
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Build, PullRequest, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.reviewing.carry_over import (
    CARRIED_FIELDS,
    carry_over_approvals,
    log_carried_over,
    start_review,
)
from visual_review.builds.states import COMPLETED, DIFFERENCES, PROCESSING, UNREVIEWED


def carry_over_on_base_branch(pull_request: PullRequest) -> list[str]:
    """Carry approvals over to undecided builds of the base branch; return the changed ones."""
    # The merge commit's own build matters for its commit status, even if it is superseded.
    newest = Q(superseded_by=None)
    if pull_request.merge_commit:
        newest |= Q(commit=pull_request.merge_commit)
    waiting = Build.objects.filter(
        newest,
        repository_id=pull_request.repository_id,
        head_repository="",
        branch=pull_request.base_branch,
        pull_request=None,
        # A build that is being completed may have been checked before the approval; the lock below
        # waits for it.
        status__in=(PROCESSING, COMPLETED),
        review_state=UNREVIEWED,
    ).order_by("number")
    return [pk for pk in list(waiting.values_list("pk", flat=True)) if carry_over_again(pk)]


@transaction.atomic
def carry_over_again(build_id: str) -> bool:
    """Apply rule 6 to an undecided build again; return whether it changed."""
    baseline, build = lock_build(build_id)
    if build.status != COMPLETED or build.review_state != UNREVIEWED:
        return False
    rows = Screenshot.objects.filter(
        build=build, diff_state__in=DIFFERENCES, detection_only=False, review_decision=""
    )
    carried = carry_over_approvals(build, rows)
    if not carried:
        return False
    update_rows(carried, CARRIED_FIELDS)
    log_carried_over(build, carried)
    start_review(build, baseline, count_screenshots(build))
    notify_hosts(build)
    return True
