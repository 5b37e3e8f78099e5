"""Find an image by its hash for a person with access to a repository with the image."""

from typing import Final

from django.db.models import QuerySet

from visual_review.builds.images.blob_keys import diff_image_key_of, image_key_of
from visual_review.builds.models import BaselineEntry, Screenshot
from visual_review.kernel.errors import NotFoundError

IMAGE_UNKNOWN: Final = "This repository has no image at this URL."


def repository_image_key(organization_id: str, repository_id: str, sha256: str) -> str:
    """Return the blob key of an image; raises NotFoundError if the repository lacks the image."""
    shots = _screenshots(organization_id, repository_id)
    entries = BaselineEntry.objects.filter(
        image__organization_id=organization_id,
        image__sha256=sha256,
        baseline__product__repository_id=repository_id,
        baseline__product__repository__removed_at=None,
    )
    # Pages ask for the images of a build first. One query for all takes longer to write.
    found = (
        shots.filter(image__organization_id=organization_id, image__sha256=sha256).exists()
        or shots.filter(
            baseline_image__organization_id=organization_id, baseline_image__sha256=sha256
        ).exists()
        or entries.exists()
    )
    if not found:
        raise NotFoundError(IMAGE_UNKNOWN)
    return image_key_of(organization_id, sha256)


def repository_diff_key(organization_id: str, repository_id: str, key: str) -> str:
    """Return the blob key of a difference; raises NotFoundError as for images."""
    found = _screenshots(organization_id, repository_id).filter(
        comparison__organization_id=organization_id,
        comparison__key=key,
        comparison__has_picture=True,
    )
    if not found.exists():
        raise NotFoundError(IMAGE_UNKNOWN)
    return diff_image_key_of(organization_id, key)


def _screenshots(organization_id: str, repository_id: str) -> QuerySet[Screenshot]:
    return Screenshot.objects.filter(
        build__repository_id=repository_id,
        build__repository__organization_id=organization_id,
        build__repository__removed_at=None,
    )
