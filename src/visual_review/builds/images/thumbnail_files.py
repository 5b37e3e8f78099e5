"""Read the thumbnails of some screenshots of a build: one query, and files in parallel."""

from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.builds.images.keys import change_thumbnail_key_of, image_thumbnail_key_of
from visual_review.builds.models import Screenshot
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.builds.states import CHANGED, PENDING, REMOVED
from visual_review.kernel.blobs import blob_store, read_small_blobs
from visual_review.kernel.errors import NotFoundError


@dataclass(frozen=True)
class Thumbnail:
    """``data`` is empty without a file; ``expected``: then there will be one."""

    screenshot_id: str
    data: bytes
    expected: bool


def read_thumbnails(
    organization_id: str, build_id: str, screenshot_ids: Sequence[str]
) -> list[Thumbnail]:
    """Return the thumbnails in the order of the ids; ids of other builds are left out.

    A changed screenshot's thumbnail shows the change, other thumbnails the whole. Raises
    NotFoundError if the build has none of the screenshots.
    """
    keys = _read_keys(organization_id, build_id, screenshot_ids)
    if not keys:
        raise NotFoundError(BUILD_UNKNOWN)
    wanted = [key for key, _ in keys.values() if key]
    data = read_small_blobs(blob_store(), wanted)
    return [
        Thumbnail(each, data.get(keys[each][0], b""), keys[each][1])
        for each in dict.fromkeys(screenshot_ids)
        if each in keys
    ]


def read_image_thumbnail(organization_id: str, sha256: str) -> bytes:
    """Return the thumbnail of an image of the organization; empty until rendered."""
    key = image_thumbnail_key_of(organization_id, sha256)
    return read_small_blobs(blob_store(), [key]).get(key, b"")


def _read_keys(
    organization_id: str, build_id: str, screenshot_ids: Sequence[str]
) -> dict[str, tuple[str, bool]]:
    """Return by id the key of the thumbnail, empty without one, and whether one is expected."""
    rows = Screenshot.objects.filter(
        pk__in=screenshot_ids,
        build_id=build_id,
        build__repository__organization_id=organization_id,
        build__repository__removed_at=None,
    ).values_list(
        "id",
        "diff_state",
        "image__sha256",
        "image__has_thumbnail",
        "baseline_image__sha256",
        "baseline_image__has_thumbnail",
        "comparison__key",
        "comparison__has_thumbnail",
    )
    found = {}
    for id_, state, after, has_after, before, has_before, compared, has_change in rows:
        if state == CHANGED:
            found[id_] = (
                change_thumbnail_key_of(organization_id, compared) if has_change else "",
                True,
            )
            continue
        sha256, exists = (before, has_before) if state == REMOVED else (after, has_after)
        key = image_thumbnail_key_of(organization_id, sha256) if sha256 and exists else ""
        found[id_] = key, bool(sha256) or state == PENDING
    return found
