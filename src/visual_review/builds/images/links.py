"""Signed, expiring URLs of a screenshot's images."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from visual_review.builds.images.keys import (
    change_thumbnail_key_of,
    diff_image_key_of,
    image_key_of,
    image_thumbnail_key_of,
)
from visual_review.builds.read_models import ScreenshotRow
from visual_review.builds.states import CHANGED, REMOVED, UNCHANGED
from visual_review.kernel.blobs import BlobStore

# Long enough to look through a page, too short to be worth sharing.
LINK_SECONDS = 3600


@dataclass(frozen=True)
class ImageLinks:
    """The URLs of a screenshot's images; None for an image that does not exist."""

    before: str | None
    after: str | None
    diff: str | None


@dataclass(frozen=True)
class ThumbnailLinks:
    """The URLs of a screenshot's thumbnails; None for one that is not rendered yet, or never is.

    ``change`` shows what changed, ``whole`` all of the image that ``change`` is a part of.
    """

    change: str | None
    whole: str | None


def thumbnail_links_of_rows(
    rows: Sequence[ScreenshotRow], organization_id: str, blobs: BlobStore
) -> list[ThumbnailLinks]:
    """Return the URLs for each row, signed together."""
    keys = [_thumbnail_keys(row, organization_id) for row in rows]
    wanted = list({key for each in keys for key in each if key is not None})
    links: dict[str | None, str | None] = dict(
        zip(wanted, blobs.links(wanted, LINK_SECONDS), strict=True)
    )
    return [ThumbnailLinks(*(links.get(key) for key in each)) for each in keys]


def _thumbnail_keys(row: ScreenshotRow, organization_id: str) -> tuple[str | None, str | None]:
    if row.diff_state == REMOVED:
        sha256, exists = row.baseline_image__sha256, row.baseline_image__has_thumbnail
    else:
        sha256, exists = row.image__sha256, row.image__has_thumbnail
    compared = row.comparison__key
    is_shown = row.diff_state == CHANGED and row.comparison__has_thumbnail
    return (
        change_thumbnail_key_of(organization_id, compared) if compared and is_shown else None,
        image_thumbnail_key_of(organization_id, sha256) if sha256 and exists else None,
    )


class ImageKeys(NamedTuple):
    before: str | None
    after: str | None
    diff: str | None


def image_links_of_rows(
    rows: Sequence[ScreenshotRow], organization_id: str, blobs: BlobStore
) -> list[ImageLinks]:
    """Return the URLs for each row, signed together; ``before`` only if it differs."""
    keys = [_keys(row, organization_id) for row in rows]
    wanted = list({key for each in keys for key in each if key is not None})
    links: dict[str | None, str | None] = dict(
        zip(wanted, blobs.links(wanted, LINK_SECONDS), strict=True)
    )
    return [ImageLinks(*(links.get(key) for key in each)) for each in keys]


def _keys(row: ScreenshotRow, organization_id: str) -> ImageKeys:
    before = None if row.diff_state == UNCHANGED else row.baseline_image__sha256
    after, compared = row.image__sha256, row.comparison__key
    return ImageKeys(
        None if before is None else image_key_of(organization_id, before),
        None if after is None else image_key_of(organization_id, after),
        diff_image_key_of(organization_id, compared)
        if compared is not None and row.comparison__has_picture
        else None,
    )
