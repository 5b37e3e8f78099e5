"""Count the images of a repository or organization, and their bytes."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet, Sum

from visual_review.builds.models import BaselineEntry, Image, Screenshot
from visual_review.repositories.models import Repository


@dataclass(frozen=True)
class ImageUsage:
    count: int
    bytes: int


def image_usage_of(repository: Repository) -> ImageUsage:
    """Return the usage of a repository; an image counts once, however often it is used."""
    shots = Screenshot.objects.filter(build__repository=repository)
    entries = BaselineEntry.objects.filter(baseline__product__repository=repository)
    used = (
        shots.order_by()
        .values("image_id")
        .union(shots.values("baseline_image_id"), entries.values("image_id"))
    )
    # One set of ids, looked up in one pass instead of once for each of a million screenshots.
    return _sum_usage(Image.objects.filter(pk__in=used))


def stored_image_usage(organization_id: str) -> ImageUsage:
    """Return the usage of all images of the organization."""
    return _sum_usage(Image.objects.filter(organization_id=organization_id))


def _sum_usage(rows: QuerySet[Image]) -> ImageUsage:
    found = rows.aggregate(count=Count("pk"), total=Sum("size"))
    return ImageUsage(found["count"], found["total"] or 0)
