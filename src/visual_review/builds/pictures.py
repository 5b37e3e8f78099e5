"""Signed, expiring addresses of a screenshot's pictures."""

from dataclasses import dataclass

from visual_review.builds.diffing import image_key, picture_key
from visual_review.builds.models import Image, Screenshot
from visual_review.kernel.blobs import BlobStore

# Long enough to look through a page, too short to be worth passing on.
LINK_SECONDS = 3600


@dataclass(frozen=True)
class Pictures:
    """Addresses of what there is; None where there is no such picture."""

    before: str | None
    after: str | None
    diff: str | None


def pictures_of(shot: Screenshot, blobs: BlobStore) -> Pictures:
    """``shot`` comes with its images and its comparison loaded."""
    comparison = shot.comparison
    return Pictures(
        before=_link(shot.baseline_image, blobs),
        after=_link(shot.image, blobs),
        diff=blobs.link(picture_key(comparison), LINK_SECONDS)
        if comparison is not None and comparison.has_picture
        else None,
    )


def _link(image: Image | None, blobs: BlobStore) -> str | None:
    return None if image is None else blobs.link(image_key(image), LINK_SECONDS)
