"""Find and delete images and comparisons that nothing refers to any more.

They are found by one query and deleted one by one, each checked again under a lock, because an
upload may begin to use one in between.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from visual_review.builds.images.keys import (
    change_thumbnail_key_of,
    diff_image_key_of,
    image_key_of,
    image_thumbnail_key_of,
)
from visual_review.builds.models import BaselineEntry, Comparison, Image, ReviewEntry, Screenshot
from visual_review.builds.states import PROCESSING, UPLOADING
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.locks import lock_for_deleting


def unused_images(organization_id: str, before: datetime) -> QuerySet[Image]:
    """Return images stored before ``before`` that no build, baseline or review log refers to."""
    rows = Image.objects.filter(organization_id=organization_id, created_at__lt=before)
    uses = _image_uses(organization_id, OuterRef("pk"), OuterRef("sha256"))
    return rows.filter(*(~Exists(use) for use in uses))


def unused_comparisons(organization_id: str, before: datetime) -> QuerySet[Comparison]:
    rows = Comparison.objects.filter(organization_id=organization_id, created_at__lt=before)
    return rows.filter(*(~Exists(use) for use in _comparison_uses(OuterRef("pk"))))


def _image_uses(
    organization_id: str, image_id: int | OuterRef, sha256: str | OuterRef
) -> tuple[QuerySet[Any], ...]:
    """Return what may refer to an image, or to one that is announced and not yet linked.

    One query each, since a single one with OR would read whole tables for every image.
    """
    announced = Screenshot.objects.filter(
        image=None,
        sha256=sha256,
        build__repository__organization_id=organization_id,
        build__status__in=(UPLOADING, PROCESSING),
    ).exclude(sha256="")
    return (
        Screenshot.objects.filter(image=image_id),
        Screenshot.objects.filter(baseline_image=image_id),
        BaselineEntry.objects.filter(image=image_id),
        ReviewEntry.objects.filter(left_image=image_id),
        ReviewEntry.objects.filter(right_image=image_id),
        announced,
    )


def _comparison_uses(comparison_id: int | OuterRef) -> tuple[QuerySet[Any], ...]:
    return (Screenshot.objects.filter(comparison=comparison_id),)


def delete_all_unused(organization_id: str, before: datetime, blobs: BlobStore) -> int:
    """Delete all unused images and comparisons; return how many images were found."""
    images = list(unused_images(organization_id, before).values_list("sha256", flat=True))
    keys = list(unused_comparisons(organization_id, before).values_list("key", flat=True))
    delete_unused(organization_id, images, keys, blobs)
    return len(images)


def delete_unused(
    organization_id: str, hashes: Iterable[str], comparisons: Iterable[str], blobs: BlobStore
) -> None:
    """Delete those images and comparisons that are unused, with their bytes.

    Safe to interrupt and repeat. What others begin to use at this moment stays.
    """
    for key in comparisons:
        row = Comparison.objects.filter(organization_id=organization_id, key=key)
        _delete_if_unused(row)
        stored = [of(organization_id, key) for of in (diff_image_key_of, change_thumbnail_key_of)]
        _delete_bytes(organization_id, row, stored, blobs)
    for sha256 in hashes:
        found = Image.objects.filter(organization_id=organization_id, sha256=sha256)
        _delete_if_unused(found)
        stored = [of(organization_id, sha256) for of in (image_key_of, image_thumbnail_key_of)]
        _delete_bytes(organization_id, found, stored, blobs)


@transaction.atomic
def _delete_if_unused(found: QuerySet[Image] | QuerySet[Comparison]) -> None:
    # The lock makes transactions that are about to use the row wait; committed ones are seen below.
    # One row for each transaction: two locks could deadlock.
    row = found.select_for_update().first()
    if row is not None and not _is_used(row):
        row.delete()


def _is_used(row: Image | Comparison) -> bool:
    if isinstance(row, Comparison):
        uses = _comparison_uses(row.pk)
    else:
        uses = _image_uses(row.organization_id, row.pk, row.sha256)
    return any(use.exists() for use in uses)


def _delete_bytes(
    organization_id: str,
    found: QuerySet[Image] | QuerySet[Comparison],
    keys: list[str],
    blobs: BlobStore,
) -> None:
    if found.exists():
        return
    with lock_for_deleting(organization_id):
        if not found.exists():
            blobs.delete(keys)
