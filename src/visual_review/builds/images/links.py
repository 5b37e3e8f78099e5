"""Signed, expiring URLs of a screenshot's images."""

from collections.abc import Sequence
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


class ScreenshotLinks(NamedTuple):
    """The URLs of a screenshot's images; None for an image that does not exist.

    ``before`` is there only if it differs, a thumbnail once it is rendered: ``change_thumbnail``
    shows what changed, ``thumbnail`` all of the image around it.
    """

    before: str | None
    after: str | None
    diff: str | None
    change_thumbnail: str | None
    thumbnail: str | None


def links_of_rows(
    rows: Sequence[ScreenshotRow], organization_id: str, blobs: BlobStore
) -> list[ScreenshotLinks]:
    """Return the URLs for each row, all of them signed together."""
    keys = [_keys(row, organization_id) for row in rows]
    links = iter(blobs.links([key for each in keys for key in each if key], LINK_SECONDS))
    return [ScreenshotLinks._make([next(links) if key else None for key in each]) for each in keys]


def _keys(row: ScreenshotRow, organization_id: str) -> tuple[str | None, ...]:
    """Return the keys of the images, in the order of ScreenshotLinks."""
    state, before, after = row.diff_state, row.baseline_image__sha256, row.image__sha256
    compared = row.comparison__key
    if state == REMOVED:
        whole, has_thumbnail = before, row.baseline_image__has_thumbnail
    else:
        whole, has_thumbnail = after, row.image__has_thumbnail
    return (
        image_key_of(organization_id, before) if before and state != UNCHANGED else None,
        image_key_of(organization_id, after) if after else None,
        diff_image_key_of(organization_id, compared)
        if compared and row.comparison__has_picture
        else None,
        change_thumbnail_key_of(organization_id, compared)
        if compared and row.comparison__has_thumbnail and state == CHANGED
        else None,
        image_thumbnail_key_of(organization_id, whole) if whole and has_thumbnail else None,
    )
