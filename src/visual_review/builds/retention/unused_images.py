"""Find and delete images and comparisons without any reference.

One query finds the unused rows; they are deleted in batches, and each row is checked again under
locks, because an upload may begin to use an image in between. Rows that others use or store at this
moment are left out, so that a deletion waits for no one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from visual_review.builds.images.blob_deletions import delete_with_rows, forget_old_deletions
from visual_review.builds.images.blob_keys import (
    change_thumbnail_key_of,
    diff_image_key_of,
    image_key_of,
    image_thumbnail_key_of,
)
from visual_review.builds.models import BaselineEntry, Comparison, Image, ReviewEntry, Screenshot
from visual_review.builds.states import PROCESSING, UPLOADING
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.queue import enqueue

DELETE_UNUSED: Final = "delete_unused_images"
# Each has two files, and PostgreSQL has room for some thousand advisory locks.
AT_ONCE: Final = 200
JOB_SIZE: Final = 1000


def unused_images(organization_id: str, before: datetime) -> QuerySet[Image]:
    """Return images stored before ``before`` without a build, baseline or review log using them."""
    rows = Image.objects.filter(organization_id=organization_id, created_at__lt=before)
    return _without_uses(rows)


def unused_comparisons(organization_id: str, before: datetime) -> QuerySet[Comparison]:
    rows = Comparison.objects.filter(organization_id=organization_id, created_at__lt=before)
    return _without_uses(rows)


def _without_uses(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the images, or the comparisons, without a reference."""
    # One query each, since a single one with OR would read whole tables for every image.
    if rows.model is Comparison:
        return rows.filter(~Exists(Screenshot.objects.filter(comparison=OuterRef("pk"))))
    # Announced, and not linked yet.
    announced = Screenshot.objects.filter(
        image=None,
        sha256=OuterRef("sha256"),
        build__repository__organization_id=OuterRef("organization_id"),
        build__status__in=(UPLOADING, PROCESSING),
    ).exclude(sha256="")
    image = OuterRef("pk")
    uses: tuple[QuerySet[Any], ...] = (
        Screenshot.objects.filter(image=image),
        Screenshot.objects.filter(baseline_image=image),
        BaselineEntry.objects.filter(image=image),
        ReviewEntry.objects.filter(left_image=image),
        ReviewEntry.objects.filter(right_image=image),
        announced,
    )
    return rows.filter(*(~Exists(use) for use in uses))


def enqueue_unused(organization_id: str, before: datetime) -> None:
    """Enqueue the deletion of all unused images and comparisons, some for each job."""
    forget_old_deletions()
    hashes = unused_images(organization_id, before).values_list("sha256", flat=True)
    for part in _parts(hashes, JOB_SIZE):
        enqueue(DELETE_UNUSED, organization_id=organization_id, hashes=part, comparisons=[])
    keys = unused_comparisons(organization_id, before).values_list("key", flat=True)
    for part in _parts(keys, JOB_SIZE):
        enqueue(DELETE_UNUSED, organization_id=organization_id, hashes=[], comparisons=part)


def delete_all_unused(organization_id: str, before: datetime, blobs: BlobStore) -> int:
    """Delete all unused images and comparisons; return how many images were deleted."""
    hashes = unused_images(organization_id, before).values_list("sha256", flat=True)
    keys = unused_comparisons(organization_id, before).values_list("key", flat=True)
    return delete_unused(organization_id, hashes, keys, blobs)


def delete_unused(
    organization_id: str, hashes: Iterable[str], comparisons: Iterable[str], blobs: BlobStore
) -> int:
    """Delete the unused images and comparisons, with their bytes; count the images.

    Safe to interrupt and repeat. Rows that others begin to use at this moment stay.
    """
    rows = Comparison.objects.filter(organization_id=organization_id)
    for part in _parts(comparisons, AT_ONCE):
        stored = _keys(organization_id, part, (diff_image_key_of, change_thumbnail_key_of))
        _delete_part(rows, "key", stored, blobs)
    images = Image.objects.filter(organization_id=organization_id)
    deleted = 0
    for part in _parts(hashes, AT_ONCE):
        stored = _keys(organization_id, part, (image_key_of, image_thumbnail_key_of))
        deleted += _delete_part(images, "sha256", stored, blobs)
    return deleted


def _parts(names: Iterable[str], size: int) -> Iterator[list[str]]:
    found = list(names)
    return (found[start : start + size] for start in range(0, len(found), size))


def _keys(
    organization_id: str, names: Iterable[str], keys_of: Sequence[Callable[[str, str], str]]
) -> dict[str, list[str]]:
    """Return the possible blob keys of each name."""
    return {name: [key_of(organization_id, name) for key_of in keys_of] for name in names}


def _delete_part(
    rows: QuerySet[Any], column: str, stored: dict[str, list[str]], blobs: BlobStore
) -> int:
    """Delete rows and bytes of the unused ones among ``stored``; return how many rows."""
    found = rows.filter(**{f"{column}__in": stored})
    unused = _without_uses(found).values_list(column, flat=True)
    # Bytes whose row is missing were left by an interrupted deletion or upload.
    wanted = set(stored) - set(found.values_list(column, flat=True)) | set(unused)
    deleted = 0

    def delete_rows(names: Collection[str]) -> set[str]:
        nonlocal deleted
        chosen = rows.filter(**{f"{column}__in": names})
        deleted = _delete_rows(chosen)
        return set(names) - set(chosen.values_list(column, flat=True))

    delete_with_rows({name: stored[name] for name in wanted}, delete_rows, blobs)
    return deleted


def _delete_rows(rows: QuerySet[Any]) -> int:
    # The locks make transactions about to use a row wait, for two statements. Rows just taken into
    # use are skipped; the second statement sees earlier commits.
    locked = _without_uses(rows).select_for_update(skip_locked=True, of=("self",))
    unused = _without_uses(
        rows.model.objects.filter(pk__in=list(locked.values_list("pk", flat=True)))
    )
    # Django's own way would look for each kind of reference again, and load the rows.
    deleted: int | None = unused._raw_delete(unused.db)  # noqa: SLF001
    # None if there was nothing to ask the database for.
    return deleted or 0
