"""What is known of pull requests: from builds, from the host's news, and by asking it."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from visual_review.builds.models import Baseline, Build, PullRequest
from visual_review.builds.pull_requests.merging import carry_over_after_merge
from visual_review.builds.pull_requests.ordering import (
    MERGED,
    PullRequestSnapshot,
    newest,
    order_is_uncertain,
    snapshot_after_refresh,
)
from visual_review.builds.states import COMPLETED, PROCESSING
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository

REFRESH_PULL_REQUEST = "ask_pull_request"
FACTS = (
    "title",
    "state",
    "head_branch",
    "head_repository",
    "head_commit",
    "base_branch",
    "merge_commit",
)


@dataclass(frozen=True)
class TrackingResult:
    """``doubtful`` when the host has to be asked which of two news is the newer one."""

    pull_request: PullRequest
    changed: bool
    doubtful: bool = False


def follow_lock(repository_id: str) -> str:
    """What is told of one repository is handled one after the other."""
    return f"follow:{repository_id}"


def record_branch_published(build: Build) -> None:
    """Take back that the host told of the branch's end: somebody publishes it.

    To be called before the build is locked, as everybody locks baselines first.
    """
    rows = Baseline.objects.filter(
        product__repository_id=build.repository_id,
        head_repository=build.head_repository,
        branch=build.branch,
        branch_deleted_at__isnull=False,
    )
    # Those of several products, hence in one order.
    locked = rows.order_by("pk").select_for_update(no_key=True, of=("self",))
    ids = list(locked.values_list("pk", flat=True))
    if ids:
        Baseline.objects.filter(pk__in=ids).update(branch_deleted_at=None)


def record_build(build: Build) -> None:
    """Note the pull request of a build that is published, and have the host asked for it."""
    if build.pull_request is None:
        return
    row, _ = PullRequest.objects.select_for_update(no_key=True).get_or_create(
        repository_id=build.repository_id, number=build.pull_request
    )
    # CI may have begun before the host's news, so it tells only of what the host did not.
    if row.host_updated_at is None:
        row.head_branch = build.branch
        row.head_repository = build.head_repository
        row.head_commit = build.commit
        row.base_branch = build.base_branch or row.base_branch
        row.save(update_fields=["head_branch", "head_repository", "head_commit", "base_branch"])
    enqueue_refresh(build.repository_id, build.pull_request)


def enqueue_refresh(repository_id: str, number: int, *, once: bool = False) -> None:
    """Have the host asked about a pull request; nothing where no host is connected.

    With ``once``, a job that waits already is enough. Not so in a transaction that changes
    builds: that job may look at them before it commits.
    """
    if Repository.objects.filter(pk=repository_id, host_account=None).exists():
        return
    enqueue(
        REFRESH_PULL_REQUEST,
        lock=follow_lock(repository_id),
        once=f"{REFRESH_PULL_REQUEST}:{repository_id}:{number}" if once else None,
        repository_id=repository_id,
        number=number,
    )


def note_event(repository: Repository, news: PullRequestSnapshot) -> TrackingResult:
    """Take news that the host sent; older ones than those known change nothing."""
    return _note(repository, news, asked=False)


def note_answer(repository: Repository, answer: PullRequestSnapshot) -> TrackingResult:
    """Take what the host answered about a pull request."""
    return _note(repository, answer, asked=True)


def record_unknown(repository: Repository, number: int) -> None:
    """Note that the host was asked in vain, so that others have their turn."""
    PullRequest.objects.filter(repository=repository, number=number).update(asked_at=now())


@transaction.atomic
def _note(repository: Repository, told: PullRequestSnapshot, *, asked: bool) -> TrackingResult:
    row, _ = PullRequest.objects.select_for_update(no_key=True).get_or_create(
        repository=repository, number=told.number
    )
    known = _known(row)
    wanted = snapshot_after_refresh(known, told) if asked else newest(known, told)
    was_merged = row.state == MERGED
    changed = wanted != known
    for name in FACTS:
        setattr(row, name, getattr(wanted, name))
    # Some hosts tell no time of theirs; from then on builds still do not know better.
    row.host_updated_at = wanted.updated_at or row.host_updated_at
    if asked:
        row.asked_at = now()
    row.save()
    if wanted.state == MERGED and not was_merged:
        carry_over_after_merge(row)
    return TrackingResult(row, changed, doubtful=not asked and order_is_uncertain(known, told))


def _known(row: PullRequest) -> PullRequestSnapshot | None:
    if row.host_updated_at is None and row.asked_at is None:
        return None
    facts = {name: getattr(row, name) for name in FACTS}
    return PullRequestSnapshot(number=row.number, updated_at=row.host_updated_at, **facts)


def builds_on_other_base(pull_request: PullRequest) -> QuerySet[Build]:
    """The newest builds of a pull request that were compared for another target than is known."""
    newer = Build.objects.filter(
        product_id=OuterRef("product_id"),
        repository_id=OuterRef("repository_id"),
        pull_request=OuterRef("pull_request"),
        number__gt=OuterRef("number"),
        status__in=(PROCESSING, COMPLETED),
    )
    # One that is still uploading is left to its shards, which agreed on a target; the host is
    # asked again when it is published.
    return (
        Build.objects.filter(
            ~Exists(newer),
            repository_id=pull_request.repository_id,
            pull_request=pull_request.number,
            status__in=(PROCESSING, COMPLETED),
            superseded_by=None,
        )
        .exclude(base_branch=pull_request.base_branch or F("base_branch"))
        .order_by("-number")
    )


def record_branch_deleted(repository: Repository, branch: str) -> int:
    """Mark the baselines of a branch that is gone at the host; nothing of them is lost."""
    return Baseline.objects.filter(
        product__repository=repository,
        head_repository="",
        branch=branch,
        branch_deleted_at=None,
        last_move__gte=1,
    ).update(branch_deleted_at=now())
