"""Images and comparisons that nothing names any more, found by one look at the tables.

What is found is deleted one by one in `removal.py`, under locks and after another look: whoever
uploads meanwhile may begin to use it.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from visual_review.builds.images.keys import diff_image_key_of, image_key_of
from visual_review.builds.models import BaselineEntry, Comparison, Image, ReviewEntry, Screenshot
from visual_review.builds.states import PROCESSING, UPLOADING
from visual_review.kernel.blob_locks import deleting
from visual_review.kernel.blobs import BlobStore


def unused_images(organization_id: str, before: datetime) -> QuerySet[Image]:
    """The organization's images stored before ``before`` that no build, baseline or log names."""
    rows = Image.objects.filter(organization_id=organization_id, created_at__lt=before)
    here = OuterRef("pk")
    announced = Screenshot.objects.filter(
        image=None,
        sha256=OuterRef("sha256"),
        build__repository__organization_id=organization_id,
        build__status__in=(UPLOADING, PROCESSING),
    ).exclude(sha256="")
    # One condition each, since a single one with OR would read whole tables for every image.
    return rows.filter(
        ~Exists(Screenshot.objects.filter(image=here)),
        ~Exists(Screenshot.objects.filter(baseline_image=here)),
        ~Exists(BaselineEntry.objects.filter(image=here)),
        ~Exists(ReviewEntry.objects.filter(left_image=here)),
        ~Exists(ReviewEntry.objects.filter(right_image=here)),
        ~Exists(announced),
    )


def unused_comparisons(organization_id: str, before: datetime) -> QuerySet[Comparison]:
    return Comparison.objects.filter(
        ~Exists(Screenshot.objects.filter(comparison=OuterRef("pk"))),
        Q(organization_id=organization_id, created_at__lt=before),
    )


def delete_all_unused(organization_id: str, before: datetime, blobs: BlobStore) -> int:
    """Delete what was found, with its bytes; answers how many images. May be cut and run again."""
    images = list(unused_images(organization_id, before).values_list("sha256", flat=True))
    keys = list(unused_comparisons(organization_id, before).values_list("key", flat=True))
    delete_unused(organization_id, images, keys, blobs)
    return len(images)


def delete_unused(
    organization_id: str, hashes: Iterable[str], comparisons: Iterable[str], blobs: BlobStore
) -> None:
    """Delete those of the images and comparisons that nothing names any more, with their bytes.

    May be cut anywhere and run again. What others begin to use at this moment stays.
    """
    for key in comparisons:
        row = Comparison.objects.filter(organization_id=organization_id, key=key)
        _delete_if_unused(row)
        _delete_bytes(organization_id, row, diff_image_key_of(organization_id, key), blobs)
    for sha256 in hashes:
        found = Image.objects.filter(organization_id=organization_id, sha256=sha256)
        _delete_if_unused(found)
        _delete_bytes(organization_id, found, image_key_of(organization_id, sha256), blobs)


@transaction.atomic
def _delete_if_unused(found: QuerySet[Image] | QuerySet[Comparison]) -> None:
    # The lock makes whoever is about to name the row wait; what is committed is seen below.
    # One row a transaction: two locks could wait for each other.
    row = found.select_for_update().first()
    if row is not None and not _is_used(row):
        row.delete()


def _is_used(row: Image | Comparison) -> bool:
    if isinstance(row, Comparison):
        return Screenshot.objects.filter(comparison=row).exists()
    announced = Screenshot.objects.filter(
        sha256=row.sha256,
        image=None,
        build__repository__organization_id=row.organization_id,
        build__status__in=(UPLOADING, PROCESSING),
    )
    # One question each, since a single one with OR would read whole tables.
    return (
        Screenshot.objects.filter(image=row).exists()
        or Screenshot.objects.filter(baseline_image=row).exists()
        or BaselineEntry.objects.filter(image=row).exists()
        or ReviewEntry.objects.filter(Q(left_image=row) | Q(right_image=row)).exists()
        or announced.exclude(sha256="").exists()
    )


def _delete_bytes(
    organization_id: str,
    found: QuerySet[Image] | QuerySet[Comparison],
    key: str,
    blobs: BlobStore,
) -> None:
    if found.exists():
        return
    with deleting(organization_id):
        if not found.exists():
            blobs.delete([key])
