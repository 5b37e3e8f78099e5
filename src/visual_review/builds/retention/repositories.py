"""Delete the data of a removed repository: in parts, each in a transaction of its own.

A part deletes rows and enqueues, in the same transaction, a check of the images behind the rows. So
a job may be killed at any time: running it again continues with the rest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from visual_review.builds.images.render_cache import DELETE_RENDERED
from visual_review.builds.models import (
    BaselineEntry,
    Build,
    Comparison,
    HostMessage,
    Image,
    ImageView,
    PullRequest,
    ReviewEntry,
    Screenshot,
)
from visual_review.builds.retention.builds import ROWS_AT_ONCE, delete_screenshots
from visual_review.builds.retention.unused_images import DELETE_UNUSED
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository


@dataclass(frozen=True)
class RelatedData:
    """Data of a repository in a package not imported here."""

    # Deletes some data, outside any transaction; returns False when nothing was left.
    delete_part: Callable[[Repository], bool]
    # Called in the transaction that deletes the repository itself.
    are_left: Callable[[Repository], bool]


def delete_repository(repository: Repository, others: Sequence[RelatedData] = ()) -> None:
    """Delete all rows of ``repository``; returns when nothing is left."""
    while True:
        while _delete_part(repository) or any(other.delete_part(repository) for other in others):
            pass
        if _delete_rest(repository, others):
            return


@transaction.atomic
def _delete_part(repository: Repository) -> bool:
    """Delete a few rows with references to images; return False when none were left."""
    return (
        # First, so that nothing more is sent, and review entries can be deleted without updates.
        _delete_some(HostMessage.objects.filter(repository=repository))
        or _delete_some(PullRequest.objects.filter(repository=repository))
        or _delete_screenshots(repository)
        or _delete_review_log(repository)
        or _delete_entries(repository)
    )


@transaction.atomic
def _delete_rest(repository: Repository, others: Sequence[RelatedData]) -> bool:
    """Delete the repository with its small rows, unless something was added since."""
    # Locking the builds prevents new screenshots until the commit; locking the repository after the
    # builds prevents new rows of other tables.
    list(Build.objects.select_for_update().filter(repository=repository).values_list("pk"))
    list(Repository.objects.select_for_update().filter(pk=repository.pk).values_list("pk"))
    if any(rows.exists() for rows in (_screenshots(repository), _entries(repository))):
        return False
    if any(other.are_left(repository) for other in others):
        return False
    # Enqueued with the deletion: nothing is rendered for a deleted repository afterwards.
    enqueue(
        DELETE_RENDERED, organization_id=repository.organization_id, repository_id=repository.id
    )
    repository.delete()
    return True


def _delete_some(rows: QuerySet[Any]) -> bool:
    deleted, _ = rows.filter(pk__in=rows.values("pk")[:ROWS_AT_ONCE]).delete()
    return bool(deleted)


def _screenshots(repository: Repository) -> QuerySet[Screenshot]:
    return Screenshot.objects.filter(build__repository=repository)


def _entries(repository: Repository) -> QuerySet[BaselineEntry]:
    return BaselineEntry.objects.filter(baseline__product__repository=repository)


def _delete_screenshots(repository: Repository) -> bool:
    rows = list(_screenshots(repository)[:ROWS_AT_ONCE])
    ids = [row.pk for row in rows]
    log = ReviewEntry.objects.filter(screenshot__in=ids)
    images = _images_of_log(log) | {row.image_id for row in rows}
    images |= {row.baseline_image_id for row in rows}
    # An image may be stored but not linked yet, if a build failed or was interrupted in between.
    announced = {row.sha256 for row in rows if row.sha256 and row.image_id is None}
    log.delete()
    ImageView.objects.filter(screenshot__in=ids).delete()
    delete_screenshots(Screenshot.objects.filter(pk__in=ids))
    _enqueue_image_check(repository, images, {row.comparison_id for row in rows}, announced)
    return bool(rows)


def _delete_review_log(repository: Repository) -> bool:
    rows = ReviewEntry.objects.filter(build__repository=repository)
    ids = list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE])
    log = ReviewEntry.objects.filter(pk__in=ids)
    images = _images_of_log(log)
    log.delete()
    _enqueue_image_check(repository, images, ())
    return bool(ids)


def _delete_entries(repository: Repository) -> bool:
    found = dict(_entries(repository).values_list("pk", "image_id")[:ROWS_AT_ONCE])
    BaselineEntry.objects.filter(pk__in=found).delete()
    _enqueue_image_check(repository, found.values(), ())
    return bool(found)


def _images_of_log(log: QuerySet[ReviewEntry]) -> set[int | None]:
    return {image for pair in log.values_list("left_image", "right_image") for image in pair}


def _enqueue_image_check(
    repository: Repository,
    images: Iterable[int | None],
    comparisons: Iterable[int | None],
    announced: Iterable[str] = (),
) -> None:
    # Identified by content, not by row: the bytes must be found even if the row is deleted.
    linked = Image.objects.filter(pk__in=_without_none(images)).values_list("sha256", flat=True)
    hashes = {*linked, *announced}
    keys = Comparison.objects.filter(pk__in=_without_none(comparisons)).values_list(
        "key", flat=True
    )
    if hashes or keys:
        enqueue(
            DELETE_UNUSED,
            organization_id=repository.organization_id,
            hashes=sorted(hashes),
            comparisons=list(keys),
        )


def _without_none(rows: Iterable[int | None]) -> set[int]:
    return {row for row in rows if row is not None}
