"""The blob keys of screenshots' images, their differences and thumbnails; pure."""

from visual_review.builds.models import Comparison, Image


def image_key(image: Image) -> str:
    return image_key_of(image.organization_id, image.sha256)


def image_key_of(organization_id: str, sha256: str) -> str:
    return f"images/{organization_id}/{sha256[:2]}/{sha256}.png"


def diff_image_key(comparison: Comparison) -> str:
    return diff_image_key_of(comparison.organization_id, comparison.key)


def diff_image_key_of(organization_id: str, key: str) -> str:
    return f"diffs/{organization_id}/{key[:2]}/{key}.png"


def image_thumbnail_key_of(organization_id: str, sha256: str) -> str:
    return f"thumbnails/{organization_id}/images/{sha256[:2]}/{sha256}.webp"


def change_thumbnail_key_of(organization_id: str, key: str) -> str:
    return f"thumbnails/{organization_id}/changes/{key[:2]}/{key}.webp"
