"""Images and comparisons that nothing names any more, found by one look at the tables.

What is found is deleted one by one in `removal.py`, under locks and after another look: whoever
uploads meanwhile may begin to use it.
"""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from visual_review.builds.models import BaselineEntry, Comparison, Image, ReviewEntry, Screenshot
from visual_review.builds.removal import delete_unused
from visual_review.builds.states import PROCESSING, UPLOADING
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
