"""Which builds are past their time, and deleting them: in parts, each whole or not at all.

A build is first marked, so that nobody decides it any more, and told to the audit log; then its
rows go. Cut in between, it is found again by its mark. Images are left to `unused.py`.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.locks import lock_build
from visual_review.builds.models import (
    BaselineEntry,
    BaselineMove,
    Build,
    PullRequest,
    ReviewEntry,
    Screenshot,
)
from visual_review.builds.retention.rules import Facts, kept_because
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    EXPIRED,
    PROCESSING,
    PUBLISHED,
    REJECTED,
    UNREVIEWED,
    UPLOADING,
)
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import Repository

ROWS_AT_ONCE: Final = 500
VERB: Final = "build.retired"
# The build of what was merged may come long after the merge, and its approvals are carried over.
AFTER_END: Final = timedelta(days=14)
BEING_DELETED: Final = "Kept for as long as the settings of retention say, and deleted now."


def past_builds(repository: Repository, before: datetime | None) -> Iterator[Build]:
    """The builds that go when all older than ``before`` do (None: no others), oldest first.

    Those whose deletion was cut are among them, whatever the settings say by now.
    """
    past = Q(status=EXPIRED, failure=BEING_DELETED)
    if before is not None:
        past |= Q(created_at__lt=before)
    rows = _with_facts(Build.objects.filter(past, repository=repository))
    for build in rows.order_by("number").iterator(chunk_size=ROWS_AT_ONCE):
        if _goes(build, before):
            yield build


def delete_expired_build(build_id: str, before: datetime | None) -> bool:
    """Delete a build with its rows, unless it may not go any more; may be cut and run again."""
    try:
        if not _mark(build_id, before):
            return False
    except NotFoundError:
        return False
    while _delete_part(build_id):
        pass
    _delete_build(build_id)
    return True


@transaction.atomic
def _mark(build_id: str, before: datetime | None) -> bool:
    # The locks of whoever decides: an approval of this very moment makes it a baseline's build.
    lock_build(build_id)
    build = _with_facts(Build.objects.select_related("repository").filter(pk=build_id)).get()
    if not _goes(build, before):
        return False
    if _is_marked(build):
        return True
    change = Change(
        VERB,
        build_target(build),
        before={
            "status": build.status,
            "reviewState": build.review_state,
            "branch": build.branch,
            "createdAt": rfc3339(build.created_at),
        },
    )
    record(build.repository.organization_id, SYSTEM, change)
    build.status, build.failure = EXPIRED, BEING_DELETED
    build.save(update_fields=["status", "failure"])
    return True


def _goes(build: Build, before: datetime | None) -> bool:
    if _is_marked(build):
        return True
    return before is not None and kept_because(_facts(build), before) is None


def _is_marked(build: Build) -> bool:
    return build.status == EXPIRED and build.failure == BEING_DELETED


@transaction.atomic
def _delete_part(build_id: str) -> bool:
    # The log goes first and from its beginning: cut in between, the last decision on a pair is
    # still the last.
    log = ReviewEntry.objects.filter(build_id=build_id).order_by("id")
    shots = Screenshot.objects.filter(build_id=build_id)
    return _delete_some(log) or _delete_some(shots)


def _delete_some(rows: QuerySet[Any]) -> bool:
    ids = list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE])
    rows.filter(pk__in=ids).delete()
    return bool(ids)


@transaction.atomic
def _delete_build(build_id: str) -> None:
    build = Build.objects.select_for_update().filter(pk=build_id).first()
    if build is None:
        return
    # What it superseded is superseded still, by the newest there is.
    newest = (
        Build.objects.filter(
            product_id=build.product_id,
            head_repository=build.head_repository,
            branch=build.branch,
            number__gt=build.number,
            status__in=PUBLISHED,
        )
        .order_by("-number")
        .first()
    )
    Build.objects.filter(superseded_by=build).update(superseded_by=newest)
    build.delete()


def _with_facts(rows: QuerySet[Build]) -> QuerySet[Build]:
    newer = Build.objects.filter(
        product=OuterRef("product"),
        head_repository=OuterRef("head_repository"),
        branch=OuterRef("branch"),
        number__gt=OuterRef("number"),
        status__in=PUBLISHED,
    )
    moves = BaselineMove.objects.filter(build=OuterRef("pk"), sequence=F("baseline__last_move"))
    ended = PullRequest.objects.filter(
        repository=OuterRef("repository"),
        number=OuterRef("pull_request"),
        host_updated_at__lt=now() - AFTER_END,
    ).exclude(state="open")
    return rows.annotate(
        has_newer=Exists(newer),
        sets_baseline=Exists(moves),
        has_ended=Exists(ended),
        may_be_carried=Exists(_decisions_that_last()),
        rejects_again=Exists(_rejections_of_approved()),
    )


def _decisions() -> QuerySet[ReviewEntry]:
    """The decisions of people on pairs, in the build around the query."""
    found = ReviewEntry.objects.filter(build=OuterRef("pk"), baseline__isnull=False)
    # Their screenshot may have gone since; decisions on a whole build name no story.
    return found.exclude(source=CARRIED_OVER).exclude(story_id="")


def _decisions_that_last() -> QuerySet[ReviewEntry]:
    """Those whose left side has been the baseline's since before they were made."""
    live = BaselineEntry.objects.filter(
        baseline=OuterRef("baseline"),
        story_id=OuterRef("story_id"),
        theme=OuterRef("theme"),
        device=OuterRef("device"),
        to_move=None,
    )
    since = BaselineMove.objects.filter(
        baseline=OuterRef("baseline"), sequence=OuterRef("from_move")
    )
    lasting = live.annotate(since=Subquery(since.values("moved_at")[:1])).filter(
        image=OuterRef("left_image"), since__lte=OuterRef("decided_at")
    )
    return _decisions().filter(Exists(lasting) | (Q(left_image=None) & ~Exists(live)))


def _rejections_of_approved() -> QuerySet[ReviewEntry]:
    approved = (
        ReviewEntry.objects.filter(
            # Sides that are null match any: a build that stays for nothing is no harm.
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
    return _decisions().filter(Exists(approved), decision=REJECTED)


def _facts(build: Build) -> Facts:
    # The query's own columns stand beside those of the model.
    read = vars(build)
    return Facts(
        created_at=build.created_at,
        under_way=build.status in {UPLOADING, PROCESSING},
        sets_baseline=read["sets_baseline"],
        rejects_again=read["rejects_again"],
        awaits_decision=build.status in PUBLISHED
        and build.review_state == UNREVIEWED
        and not read["has_newer"],
        may_be_carried=read["may_be_carried"],
        ended=read["has_ended"],
    )
