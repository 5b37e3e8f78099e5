"""Find and delete the baselines of deleted branches, in interruptible parts.

A baseline is first detached from its branch: no build, page or approval finds it any more, and a
branch with the same name starts without a baseline. Its rows are deleted some time later, since
comparisons in progress still read the rows. Images are deleted by `unused_images.py`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from visual_review.audit.log import SYSTEM, Change, Target, record
from visual_review.builds.models import Baseline, BaselineEntry, Build, PullRequest, ReviewEntry
from visual_review.builds.pull_requests.ordering import OPEN
from visual_review.builds.retention.builds import ROWS_AT_ONCE
from visual_review.builds.retention.rules import BaselineCandidate, reason_to_keep_baseline
from visual_review.builds.source import BranchKey
from visual_review.builds.states import PROCESSING, UPLOADING
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository
from visual_review.repositories.retention import effective_days, retention_of

DELETE_BASELINE: Final = "delete_baseline"
VERB: Final = "baseline.retired"
# In place of a fork's name, which never has a colon.
DETACHED: Final = ":deleted"
# Longer than any request or comparison that began before a baseline was detached.
GRACE_SECONDS: Final = 60 * 60
# A branch with newer builds exists.
QUIET: Final = timedelta(days=7)


def find_ends(
    repository: Repository, baselines: Sequence[Baseline]
) -> list[tuple[Baseline, datetime | None]]:
    """Return each baseline with the time of its end, if its branch was deleted; None if kept."""
    default = BranchKey(repository.default_branch)
    organization_days = retention_of(repository.organization_id).builds_days
    days = effective_days(repository.keep_builds_days, organization_days)
    if days is None or repository.host_account_id is None:
        return [(baseline, None) for baseline in baselines]
    return [
        (
            baseline,
            baseline.branch_deleted_at + timedelta(days=days)
            if baseline.branch_deleted_at
            and BranchKey(baseline.branch, baseline.head_repository) != default
            else None,
        )
        for baseline in baselines
    ]


def branches_to_check(
    repository: Repository, before: datetime, moment: datetime, most: int
) -> list[BranchKey]:
    """Return the branches to ask the Git provider about, possibly due ones first.

    Of the others, each time a random part, so that no branch is left out for long.
    """
    builds = Build.objects.filter(
        product=OuterRef("product"),
        head_repository=OuterRef("head_repository"),
        branch=OuterRef("branch"),
        created_at__gte=moment - QUIET,
    )
    rows = Baseline.objects.filter(product__repository=repository, last_version__gte=1).exclude(
        head_repository="", branch=repository.default_branch
    )
    due = rows.filter(branch_deleted_at__lt=before).order_by("branch_deleted_at")
    unknown = rows.filter(~Exists(builds), branch_deleted_at=None).order_by("?")
    columns = ("branch", "head_repository")
    found = [*due.values_list(*columns)[:most], *unknown.values_list(*columns)[:most]]
    return [BranchKey(*each) for each in dict.fromkeys(found)][:most]


def retire_baselines(repository: Repository, key: BranchKey, before: datetime) -> int:
    """Detach the baselines of a branch missing at the provider; return how many.

    Baselines that became due later, or are in use, are kept.
    """
    rows = Baseline.objects.filter(
        product__repository=repository,
        head_repository=key.head_repository,
        branch=key.branch,
        branch_deleted_at__lt=before,
        last_version__gte=1,
    )
    return sum(_detach(repository, pk, before) for pk in rows.values_list("pk", flat=True))


@transaction.atomic
def _detach(repository: Repository, baseline_id: str, before: datetime) -> bool:
    # Also skipped if another transaction is about to refer to the row: then the branch is in use.
    rows = Baseline.objects.select_for_update(skip_locked=True, of=("self",))
    baseline = rows.filter(pk=baseline_id, last_version__gte=1).first()
    if baseline is None:
        return False
    if reason_to_keep_baseline(_candidate(repository, baseline), before) is not None:
        return False
    change = Change(
        VERB,
        Target("baseline", baseline.id, f"{repository.full_name} {baseline}"),
        before={
            "move": baseline.last_version,
            "branchDeletedAt": rfc3339(baseline.branch_deleted_at or now()),
        },
    )
    record(repository.organization_id, SYSTEM, change)
    # A name that no branch has. Without a version, nothing lists the row.
    baseline.head_repository, baseline.branch = DETACHED, baseline.id
    baseline.last_version, baseline.branch_deleted_at = 0, None
    baseline.save()
    enqueue_baseline_deletion(repository.organization_id, baseline.id)
    return True


def _candidate(repository: Repository, baseline: Baseline) -> BaselineCandidate:
    own = not baseline.head_repository
    unfinished = Build.objects.filter(
        Q(baseline=baseline)
        | Q(
            product_id=baseline.product_id,
            head_repository=baseline.head_repository,
            branch=baseline.branch,
        ),
        status__in=(UPLOADING, PROCESSING),
    )
    pull_requests = PullRequest.objects.filter(
        repository=repository, state=OPEN, base_branch=baseline.branch
    )
    return BaselineCandidate(
        deleted_at=baseline.branch_deleted_at,
        is_default=own and baseline.branch == repository.default_branch,
        has_provider=repository.host_account_id is not None,
        # The caller has asked.
        exists_at_provider=False,
        is_targeted=own and pull_requests.exists(),
        in_progress=unfinished.exists(),
    )


def enqueue_baseline_deletion(organization_id: str, baseline_id: str) -> None:
    enqueue(
        DELETE_BASELINE,
        once=f"{DELETE_BASELINE}:{baseline_id}",
        delay_seconds=GRACE_SECONDS,
        organization_id=organization_id,
        baseline_id=baseline_id,
    )


def detached_baselines(repository: Repository) -> QuerySet[Baseline]:
    """Return the baselines whose rows are not all deleted yet."""
    return Baseline.objects.filter(product__repository=repository, head_repository=DETACHED)


def delete_detached_baseline(organization_id: str, baseline_id: str) -> None:
    """Delete the rows of a detached baseline, once no build is compared with it; safe to repeat."""
    baseline = Baseline.objects.filter(pk=baseline_id, head_repository=DETACHED).first()
    if baseline is None:
        return
    if Build.objects.filter(baseline=baseline, status__in=(UPLOADING, PROCESSING)).exists():
        enqueue_baseline_deletion(organization_id, baseline_id)
        return
    while _delete_part(baseline):
        pass
    with transaction.atomic():
        baseline.delete()


@transaction.atomic
def _delete_part(baseline: Baseline) -> bool:
    """Delete some entries, or take some references away; return whether any was left."""
    entries = BaselineEntry.objects.filter(baseline=baseline)
    if entries.filter(pk__in=entries.values("pk")[:ROWS_AT_ONCE]).delete()[0]:
        return True
    log = ReviewEntry.objects.filter(baseline=baseline)
    builds = Build.objects.filter(baseline=baseline)
    return bool(
        log.filter(pk__in=log.values("pk")[:ROWS_AT_ONCE]).update(baseline=None)
        or builds.filter(pk__in=builds.values("pk")[:ROWS_AT_ONCE]).update(baseline=None)
    )
