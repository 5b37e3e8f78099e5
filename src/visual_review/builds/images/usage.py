"""How many images a repository shows, and how many bytes they are."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet, Sum

from visual_review.builds.models import BaselineEntry, Image, Screenshot
from visual_review.repositories.models import Repository


@dataclass(frozen=True)
class ImageUse:
    count: int
    bytes: int


def images_of(repository: Repository) -> ImageUse:
    """Each image once, however many screenshots and moves of a baseline show it."""
    shots = Screenshot.objects.filter(build__repository=repository)
    entries = BaselineEntry.objects.filter(baseline__product__repository=repository)
    shown = (
        shots.order_by()
        .values("image_id")
        .union(shots.values("baseline_image_id"), entries.values("image_id"))
    )
    # One set of numbers, looked up in one pass: no question for each of a million screenshots.
    return _summed(Image.objects.filter(pk__in=shown))


def images_stored(organization_id: str) -> ImageUse:
    """All images of the organization, each once."""
    return _summed(Image.objects.filter(organization_id=organization_id))


def _summed(rows: QuerySet[Image]) -> ImageUse:
    found = rows.aggregate(count=Count("pk"), total=Sum("size"))
    return ImageUse(found["count"], found["total"] or 0)
