"""Render, store and read the thumbnails of a build: of each image, and of each change.

Each thumbnail is rendered once, for the first build with it: of an image by its hash, of a change
by its comparison. A column says which thumbnails exist, so that lists need not ask the storage.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final

from django.db.models import Q, QuerySet

from visual_review.builds.images.blob_deletions import delete_with_rows, store_with_rows
from visual_review.builds.images.blob_keys import change_thumbnail_key_of, image_thumbnail_key_of
from visual_review.builds.images.sides import StoredImage, stored_image
from visual_review.builds.images.stored_files import (
    StoredImageError,
    boxes_of,
    changes_of,
    limits_of,
    read_stored,
    reading_in_turn,
)
from visual_review.builds.models import Build, Comparison, Image, Screenshot
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.builds.states import CHANGED, PENDING, REMOVED, TO_REVIEW
from visual_review.imagediff import Limits
from visual_review.imagediff.rendering.thumbnails import (
    render_change_thumbnail,
    render_whole_thumbnail,
)
from visual_review.kernel.blobs import BlobStore, blob_store, read_small_blobs
from visual_review.kernel.errors import NotFoundError

# A killed job renders so many again.
STORED_AT_ONCE: Final = 16
# Remote storage has a high latency: some images are fetched while one is rendered.
CONNECTIONS: Final = 4

Render = Callable[[bytes, Limits], bytes]
logger = logging.getLogger(__name__)
# Of a process, one core renders thumbnails; the others are for comparisons.
_core = Lock()


@dataclass(frozen=True)
class MissingThumbnail:
    """A thumbnail to render: ``render`` makes the thumbnail of ``source``, for ``row``."""

    row: Image | Comparison
    key: str
    source: StoredImage
    render: Render


def render_missing_thumbnails(build: Build, check_time: Callable[[], None]) -> None:
    """Render and store missing thumbnails, of screenshots to review first.

    Raises the errors of ``check_time``, called before each few thumbnails, and UnavailableError if
    the storage fails. May be interrupted and repeated; others may do the same at the same time.
    """
    blobs = blob_store()
    to_review = Q(diff_state__in=TO_REVIEW)
    with ThreadPoolExecutor(CONNECTIONS, "thumbnail") as pool:
        for rows in (_rows(build).filter(to_review), _rows(build).exclude(to_review)):
            for found in _missing(rows):
                check_time()
                rendered = pool.map(partial(_try_to_render, blobs=blobs), found)
                _store(list(rendered), blobs)


def _rows(build: Build) -> QuerySet[Screenshot]:
    """Return the screenshots without a thumbnail."""
    return (
        Screenshot.objects.filter(build=build, detection_only=False)
        .filter(
            Q(image__has_thumbnail=False)
            | Q(diff_state=REMOVED, baseline_image__has_thumbnail=False)
            | Q(diff_state=CHANGED, comparison__has_thumbnail=False)
        )
        .select_related("image", "baseline_image", "comparison")
        .order_by("id")
    )


def _missing(rows: QuerySet[Screenshot]) -> Iterator[list[MissingThumbnail]]:
    """Yield missing thumbnails, a few at a time. Failed ones are not repeated."""
    last = ""
    while part := list(rows.filter(pk__gt=last)[:STORED_AT_ONCE]):
        last = part[-1].pk
        # Several screenshots may have the same image.
        found = {missing.key: missing for shot in part for missing in _missing_of(shot)}
        yield list(found.values())


def _missing_of(shot: Screenshot) -> Iterator[MissingThumbnail]:
    shown = shot.baseline_image if shot.diff_state == REMOVED else shot.image
    if shown is not None and not shown.has_thumbnail:
        key = image_thumbnail_key_of(shown.organization_id, shown.sha256)
        render = partial(_render_whole, size=(shown.width, shown.height))
        yield MissingThumbnail(shown, key, stored_image(shown), render)
    comparison = shot.comparison
    if shot.diff_state != CHANGED or comparison is None or comparison.has_thumbnail:
        return
    if shot.image is not None:
        key = change_thumbnail_key_of(comparison.organization_id, comparison.key)
        size = (shot.image.width, shot.image.height)
        render = partial(_render_change, size=size, comparison=comparison)
        yield MissingThumbnail(comparison, key, stored_image(shot.image), render)


def _render_whole(data: bytes, limits: Limits, size: tuple[int, int]) -> bytes:
    return render_whole_thumbnail(data, size, limits)


def _render_change(
    data: bytes, limits: Limits, size: tuple[int, int], comparison: Comparison
) -> bytes:
    boxes, changes = boxes_of(comparison), changes_of(comparison)
    return render_change_thumbnail(data, size, boxes, changes, limits)


def _try_to_render(
    missing: MissingThumbnail, blobs: BlobStore
) -> tuple[MissingThumbnail, bytes] | None:
    """Return the thumbnail, or None if its image is missing or damaged. Runs in a thread."""
    try:
        with reading_in_turn(missing.row.organization_id, [missing.source]):
            data = read_stored(missing.source, blobs)
            with _core:
                return missing, missing.render(data, limits_of([missing.source]))
    except StoredImageError as error:
        logger.warning("no thumbnail of %s: %s", missing.source.key, error)
        return None


def _store(rendered: Sequence[tuple[MissingThumbnail, bytes] | None], blobs: BlobStore) -> None:
    """Store thumbnails with an existing row: the bytes first, since a column must not lie."""
    done = [each for each in rendered if each is not None]
    for model in (Image, Comparison):
        wanted = {
            missing.row.pk: (missing, data)
            for missing, data in done
            if isinstance(missing.row, model)
        }
        _store_of_model(model, wanted, blobs)


def _store_of_model(
    model: type[Image | Comparison],
    wanted: Mapping[int, tuple[MissingThumbnail, bytes]],
    blobs: BlobStore,
) -> None:
    rows = model.objects.filter(pk__in=wanted)

    def put() -> None:
        for missing, data in wanted.values():
            blobs.put(missing.key, data)

    def mark(_: None) -> set[int]:
        found = set(rows.values_list("pk", flat=True))
        rows.update(has_thumbnail=True)
        return found

    keys = [missing.key for missing, _ in wanted.values()]
    kept = store_with_rows(keys, put, mark) if wanted else set()
    for pk in wanted.keys() - kept:
        # The row was deleted meanwhile, and no other deletion knows of its thumbnail.
        missing, _ = wanted[pk]
        gone = partial(_find_gone, missing.row)
        delete_with_rows({missing.key: [missing.key]}, gone, blobs)


def _find_gone(row: Image | Comparison, names: Collection[str]) -> Collection[str]:
    """Return the names if no row has the content, including rows stored since."""
    if isinstance(row, Image):
        found = Image.objects.filter(organization_id=row.organization_id, sha256=row.sha256)
        return () if found.exists() else names
    rows = Comparison.objects.filter(organization_id=row.organization_id, key=row.key)
    return () if rows.exists() else names


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
