"""Track pull requests until they merge: from builds, the provider's events, and its API."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from visual_review.builds.models import Baseline, Build, PullRequest
from visual_review.builds.pull_requests.ordering import (
    MERGED,
    PullRequestSnapshot,
    newest_snapshot,
    order_is_uncertain,
    snapshot_after_refresh,
)
from visual_review.builds.source import BranchKey
from visual_review.builds.states import COMPLETED, PROCESSING
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository

REFRESH_PULL_REQUEST = "ask_pull_request"
# A repeated job has an older head, but hardly from a hundred pushes before.
HEADS_KEPT = 100
SNAPSHOT_FIELDS = (
    "title",
    "description",
    "state",
    "head_branch",
    "head_repository",
    "head_commit",
    "base_branch",
    "merge_commit",
)
CARRY_OVER_AFTER_MERGE = "carry_to_target"


@dataclass(frozen=True)
class TrackingResult:
    """``order_uncertain`` if the API must be asked for the newer of two events."""

    pull_request: PullRequest
    changed: bool
    order_uncertain: bool = False


def pull_requests_lock(repository_id: str) -> str:
    """Return the lock name that makes the events of one repository run one after another."""
    return f"follow:{repository_id}"


def record_branch_published(build: Build) -> None:
    """Unmark the build's branch as deleted, since a build of it is published.

    Call before locking the build, because baselines are always locked first.
    """
    record_branch_exists(build.repository_id, BranchKey(build.branch, build.head_repository))


@transaction.atomic
def record_branch_exists(repository_id: str, key: BranchKey) -> None:
    """Unmark a branch as deleted."""
    rows = Baseline.objects.filter(
        product__repository_id=repository_id,
        head_repository=key.head_repository,
        branch=key.branch,
        branch_deleted_at__isnull=False,
    )
    # Several products may have a baseline of the branch, so all are locked in a fixed order.
    locked = rows.order_by("pk").select_for_update(no_key=True, of=("self",))
    ids = list(locked.values_list("pk", flat=True))
    if ids:
        Baseline.objects.filter(pk__in=ids).update(branch_deleted_at=None)


def record_build(build: Build) -> None:
    """Record the pull request of a published build, and enqueue a request for its state."""
    if build.pull_request is None:
        return
    row, _ = PullRequest.objects.select_for_update(no_key=True).get_or_create(
        repository_id=build.repository_id, number=build.pull_request
    )
    # CI may have started before the provider's events, so a build only fills in missing values.
    if row.host_updated_at is None:
        row.head_branch = build.branch
        row.head_repository = build.head_repository
        row.head_commit = build.commit
        row.base_branch = build.base_branch or row.base_branch
        row.save(update_fields=["head_branch", "head_repository", "head_commit", "base_branch"])
    enqueue_refresh(build.repository_id, build.pull_request)


def enqueue_refresh(repository_id: str, number: int, *, once: bool = False) -> None:
    """Enqueue a request for a pull request's state, if a Git provider is connected.

    With ``once``, an already waiting job is enough. Do not use ``once`` in a transaction that
    changes builds: the waiting job may read the builds before the transaction commits.
    """
    if Repository.objects.filter(pk=repository_id, host_account=None).exists():
        return
    enqueue(
        REFRESH_PULL_REQUEST,
        lock=pull_requests_lock(repository_id),
        once=f"{REFRESH_PULL_REQUEST}:{repository_id}:{number}" if once else None,
        repository_id=repository_id,
        number=number,
    )


def record_event(repository: Repository, event: PullRequestSnapshot) -> TrackingResult:
    """Record a webhook's event; an event older than the known state changes nothing."""
    return _record(repository, event, refreshed=False)


def record_refresh(repository: Repository, snapshot: PullRequestSnapshot) -> TrackingResult:
    """Record the API's response about a pull request."""
    return _record(repository, snapshot, refreshed=True)


def record_failed_refresh(repository: Repository, number: int) -> None:
    """Record that the API had no such pull request, so that others are asked next."""
    PullRequest.objects.filter(repository=repository, number=number).update(asked_at=now())


@transaction.atomic
def _record(
    repository: Repository, snapshot: PullRequestSnapshot, *, refreshed: bool
) -> TrackingResult:
    row, _ = PullRequest.objects.select_for_update(no_key=True).get_or_create(
        repository=repository, number=snapshot.number
    )
    known = _known_snapshot(row)
    wanted = (
        snapshot_after_refresh(known, snapshot) if refreshed else newest_snapshot(known, snapshot)
    )
    was_merged = row.state == MERGED
    changed = wanted != known
    for name in SNAPSHOT_FIELDS:
        setattr(row, name, getattr(wanted, name))
    # Some providers send no time; even then, builds no longer replace the provider's values.
    row.host_updated_at = wanted.updated_at or row.host_updated_at
    row.head_commits = _with_head(row.head_commits, snapshot.head_commit)
    if refreshed:
        row.asked_at = now()
    row.save()
    if wanted.state == MERGED and not was_merged:
        carry_over_after_merge(row)
    return TrackingResult(
        row, changed, order_uncertain=not refreshed and order_is_uncertain(known, snapshot)
    )


def _with_head(known: list[str], commit: str) -> list[str]:
    """Return the heads with one more; also for a late event, as its commit was the head once."""
    if not commit or commit in known:
        return known
    return [*known, commit][-HEADS_KEPT:]


def _known_snapshot(row: PullRequest) -> PullRequestSnapshot | None:
    if row.host_updated_at is None and row.asked_at is None:
        return None
    fields = {name: getattr(row, name) for name in SNAPSHOT_FIELDS}
    return PullRequestSnapshot(number=row.number, updated_at=row.host_updated_at, **fields)


def newest_builds_of(pull_request: PullRequest) -> QuerySet[Build]:
    """Return a pull request's newest published builds, one of each product."""
    newer = Build.objects.filter(
        product_id=OuterRef("product_id"),
        repository_id=OuterRef("repository_id"),
        pull_request=OuterRef("pull_request"),
        number__gt=OuterRef("number"),
        status__in=(PROCESSING, COMPLETED),
    )
    # A build still uploading is skipped: its shards agreed on a base branch, and the API is asked
    # again when the build is published.
    return Build.objects.filter(
        ~Exists(newer),
        repository_id=pull_request.repository_id,
        pull_request=pull_request.number,
        status__in=(PROCESSING, COMPLETED),
        superseded_by=None,
    ).order_by("-number")


def record_branch_deleted(repository: Repository, key: BranchKey) -> int:
    """Mark the baselines of a deleted branch, unless already marked; nothing is deleted."""
    return Baseline.objects.filter(
        product__repository=repository,
        head_repository=key.head_repository,
        branch=key.branch,
        branch_deleted_at=None,
        last_version__gte=1,
    ).update(branch_deleted_at=now())


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
