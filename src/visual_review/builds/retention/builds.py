"""Find and delete builds past their retention: in parts, each in a transaction of its own.

Builds are first marked, to prevent further decisions, and recorded in the audit log; then their
rows are deleted. After an interruption the mark finds the builds again. Images are deleted by
`unused_images.py`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.models import (
    BaselineEntry,
    BaselineVersion,
    Build,
    ImageView,
    PullRequest,
    ReviewEntry,
    Screenshot,
)
from visual_review.builds.retention.rules import RetentionCandidate, reason_to_keep
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    CLEARED,
    EXPIRED,
    PROCESSING,
    PUBLISHED,
    REJECTED,
    UNREVIEWED,
    UPLOADING,
)
from visual_review.kernel.clock import now, rfc3339
from visual_review.repositories.models import Repository

BUILDS_AT_ONCE: Final = 50
# Few enough for a quick statement and a small loss after a kill.
ROWS_AT_ONCE: Final = 1000
VERB: Final = "build.retired"
# A build of the merged changes may come long after the merge, and take over approvals.
CLOSED_GRACE_PERIOD: Final = timedelta(days=14)
BEING_DELETED: Final = "Kept for as long as the settings of retention say, and deleted now."


def builds_to_delete(repository: Repository, before: datetime | None) -> Iterator[Build]:
    """Yield the builds to delete, created before ``before`` (None: no new ones), oldest first.

    Builds with an interrupted deletion are included, whatever the current settings.
    """
    past = Q(status=EXPIRED, failure=BEING_DELETED)
    if before is not None:
        past |= Q(created_at__lt=before)
    rows = _annotate_for_rules(Build.objects.filter(past, repository=repository))
    for build in rows.order_by("number").iterator(chunk_size=ROWS_AT_ONCE):
        if _is_due(build, before):
            yield build


def delete_expired_builds(
    repository: Repository, build_ids: Sequence[str], before: datetime | None
) -> int:
    """Delete the still expired builds among ``build_ids``, with their rows; count them.

    Safe to interrupt and repeat.
    """
    ids = _mark_for_deletion(repository, build_ids, before)
    # The log is deleted first, from its beginning: after an interruption, the last decision on a
    # pair is still the last.
    while _delete_log(ids):
        pass
    for build_id in ids:
        while delete_screenshots(Screenshot.objects.filter(build=build_id)):
            pass
    _delete_builds(ids)
    return len(ids)


@transaction.atomic
def _mark_for_deletion(
    repository: Repository, build_ids: Sequence[str], before: datetime | None
) -> list[str]:
    """Mark the expired builds, and return their ids."""
    # An approval locks its build, too: an approval at this moment may make the build a baseline's,
    # and then the next sweep decides. Baselines are not locked: other builds' decisions need them.
    rows = Build.objects.filter(pk__in=build_ids, repository=repository)
    locked = rows.select_for_update(skip_locked=True, no_key=True, of=("self",))
    ids = list(locked.values_list("pk", flat=True))
    builds = _annotate_for_rules(Build.objects.filter(pk__in=ids)).select_related("repository")
    due = [build for build in builds.order_by("number") if _is_due(build, before)]
    unmarked = [build for build in due if not _is_marked_for_deletion(build)]
    record(repository.organization_id, SYSTEM, *map(_retirement, unmarked))
    Build.objects.filter(pk__in=[build.pk for build in unmarked]).update(
        status=EXPIRED, failure=BEING_DELETED
    )
    return [build.pk for build in due]


def _retirement(build: Build) -> Change:
    before = {
        "status": build.status,
        "reviewState": build.review_state,
        "branch": build.branch,
        "createdAt": rfc3339(build.created_at),
    }
    return Change(VERB, build_target(build), before=before)


def _is_due(build: Build, before: datetime | None) -> bool:
    if _is_marked_for_deletion(build):
        return True
    return before is not None and reason_to_keep(_retention_candidate(build), before) is None


def _is_marked_for_deletion(build: Build) -> bool:
    return build.status == EXPIRED and build.failure == BEING_DELETED


@transaction.atomic
def _delete_log(build_ids: Sequence[str]) -> bool:
    """Delete some rows that refer to screenshots; return whether more may be left."""
    ImageView.objects.filter(build__in=build_ids).delete()
    log = ReviewEntry.objects.filter(build__in=build_ids).order_by("id")
    ids = list(log.values_list("pk", flat=True)[:ROWS_AT_ONCE])
    ReviewEntry.objects.filter(pk__in=ids).delete()
    return len(ids) == ROWS_AT_ONCE


@transaction.atomic
def delete_screenshots(rows: QuerySet[Screenshot]) -> bool:
    """Delete some unreferenced screenshots; return whether more may be left."""
    some = Screenshot.objects.filter(pk__in=rows.values("pk")[:ROWS_AT_ONCE])
    # Django's own way would load each row, and there may be millions.
    deleted: int = some._raw_delete(some.db)  # noqa: SLF001
    return deleted == ROWS_AT_ONCE


@transaction.atomic
def _delete_builds(build_ids: Sequence[str]) -> None:
    # Builds superseded by the deleted ones stay superseded, by the newest build.
    newest = Build.objects.filter(
        product_id=OuterRef("product_id"),
        head_repository=OuterRef("head_repository"),
        branch=OuterRef("branch"),
        number__gt=OuterRef("number"),
        status__in=PUBLISHED,
    ).order_by("-number")
    Build.objects.filter(superseded_by__in=build_ids).update(
        superseded_by=Subquery(newest.values("pk")[:1])
    )
    Build.objects.filter(pk__in=build_ids).delete()


def _annotate_for_rules(rows: QuerySet[Build]) -> QuerySet[Build]:
    newer = Build.objects.filter(
        product=OuterRef("product"),
        head_repository=OuterRef("head_repository"),
        branch=OuterRef("branch"),
        number__gt=OuterRef("number"),
        status__in=PUBLISHED,
    )
    versions = BaselineVersion.objects.filter(
        build=OuterRef("pk"), sequence=F("baseline__last_version")
    )
    pull_request_ended = PullRequest.objects.filter(
        repository=OuterRef("repository"),
        number=OuterRef("pull_request"),
        host_updated_at__lt=now() - CLOSED_GRACE_PERIOD,
    ).exclude(state="open")
    return rows.annotate(
        has_newer=Exists(newer),
        sets_baseline=Exists(versions),
        pull_request_has_ended=Exists(pull_request_ended),
        may_be_carried=Exists(_decisions_still_valid()),
        blocks_carry_over=Exists(_rejections_of_approved()),
    )


def _decisions() -> QuerySet[ReviewEntry]:
    """Return people's decisions on pairs, in the build of the outer query."""
    found = ReviewEntry.objects.filter(build=OuterRef("pk"), baseline__isnull=False)
    # Their screenshot may be deleted by now; decisions on a whole build have no story.
    return found.exclude(source=CARRIED_OVER).exclude(story_id="")


def _decisions_still_valid() -> QuerySet[ReviewEntry]:
    """Return the decisions whose left side has been in the baseline since before them."""
    live = BaselineEntry.objects.filter(
        baseline=OuterRef("baseline"),
        story_id=OuterRef("story_id"),
        theme=OuterRef("theme"),
        device=OuterRef("device"),
        to_version=None,
    )
    since = BaselineVersion.objects.filter(
        baseline=OuterRef("baseline"), sequence=OuterRef("from_version")
    )
    unchanged_entries = live.annotate(since=Subquery(since.values("created_at")[:1])).filter(
        image=OuterRef("left_image"), since__lte=OuterRef("decided_at")
    )
    return _decisions().filter(Exists(unchanged_entries) | (Q(left_image=None) & ~Exists(live)))


def _rejections_of_approved() -> QuerySet[ReviewEntry]:
    """Return the rejections and cleared decisions that end the carry-over of an approval."""
    approved = (
        ReviewEntry.objects.filter(
            # A side of null matches any image: keeping a build without need does no harm.
            Q(left_image=OuterRef("left_image")) | Q(left_image=None),
            Q(right_image=OuterRef("right_image")) | Q(right_image=None),
            baseline=OuterRef("baseline"),
            story_id=OuterRef("story_id"),
            theme=OuterRef("theme"),
            device=OuterRef("device"),
            id__lt=OuterRef("id"),
            decision=APPROVED,
        )
        .exclude(build=OuterRef("build"))
        .exclude(source=CARRIED_OVER)
    )
    return _decisions().filter(Exists(approved), decision__in=(REJECTED, CLEARED))


def _retention_candidate(build: Build) -> RetentionCandidate:
    # Annotations are not attributes of the model's type.
    columns = vars(build)
    return RetentionCandidate(
        created_at=build.created_at,
        in_progress=build.status in {UPLOADING, PROCESSING},
        sets_baseline=columns["sets_baseline"],
        blocks_carry_over=columns["blocks_carry_over"],
        awaits_decision=build.status in PUBLISHED
        and build.review_state == UNREVIEWED
        and not columns["has_newer"],
        may_be_carried=columns["may_be_carried"],
        pull_request_ended=columns["pull_request_has_ended"],
    )
