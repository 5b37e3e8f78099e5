"""Signed, expiring URLs of a screenshot's images."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from visual_review.builds.images.blob_keys import (
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
    """The URLs of a screenshot's images; None for a missing image.

    ``before`` is present only for a different image, a thumbnail once rendered:
    ``change_thumbnail`` shows the changes, ``thumbnail`` the whole image around them.
    """

    before: str | None
    after: str | None
    diff: str | None
    change_thumbnail: str | None
    thumbnail: str | None


def links_of_rows(
    rows: Sequence[ScreenshotRow], organization_id: str, blobs: BlobStore
) -> list[ScreenshotLinks]:
    """Return the URLs for each row, all signed together."""
    # In columns: a tuple for each of thousands of rows keeps the garbage collector busy.
    columns = list(_key_columns(rows, organization_id))
    signed = iter(blobs.links([key for keys in columns for key in keys if key], LINK_SECONDS))
    links = [[next(signed) if key else None for key in keys] for keys in columns]
    return list(map(ScreenshotLinks, *links))


def _key_columns(rows: Sequence[ScreenshotRow], organization_id: str) -> Iterator[list[str | None]]:
    """Yield the keys of all rows for each field of ScreenshotLinks."""
    yield [
        image_key_of(organization_id, row.baseline_image__sha256)
        if row.baseline_image__sha256 and row.diff_state != UNCHANGED
        else None
        for row in rows
    ]
    yield [
        image_key_of(organization_id, row.image__sha256) if row.image__sha256 else None
        for row in rows
    ]
    yield [
        diff_image_key_of(organization_id, row.comparison__key)
        if row.comparison__key and row.comparison__has_picture
        else None
        for row in rows
    ]
    yield [
        change_thumbnail_key_of(organization_id, row.comparison__key)
        if row.comparison__key and row.comparison__has_thumbnail and row.diff_state == CHANGED
        else None
        for row in rows
    ]
    yield [_thumbnail_key(row, organization_id) for row in rows]


def _thumbnail_key(row: ScreenshotRow, organization_id: str) -> str | None:
    if row.diff_state == REMOVED:
        sha256, exists = row.baseline_image__sha256, row.baseline_image__has_thumbnail
    else:
        sha256, exists = row.image__sha256, row.image__has_thumbnail
    return image_thumbnail_key_of(organization_id, sha256) if sha256 and exists else None
