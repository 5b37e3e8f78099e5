"""Cache rendered images, so that none is rendered twice.

Images are stored under their repository and deleted with it. The key of each image is a digest of
all its inputs, so a cached image is never out of date.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from visual_review.builds.images.image_memory import SharedBudget
from visual_review.imagediff.rendering.thumbnails import MediaType, RenderedImage
from visual_review.kernel.blobs import BlobMissingError, BlobStore
from visual_review.kernel.connections import release_connection
from visual_review.kernel.errors import StorageFullError
from visual_review.repositories.models import Repository

SUFFIXES: Final[dict[MediaType, str]] = {"image/png": ".png", "image/jpeg": ".jpg"}
DELETE_RENDERED: Final = "delete_drawn_pictures"
# Reading a large image needs memory, and all threads of the web process may read at once.
_render_slots = SharedBudget(2, "The server is busy rendering images. Try again in a moment.")
# Longer than any image takes, and shorter than clients wait.
RENDER_WAIT_SECONDS: Final = 20


@dataclass(frozen=True)
class CachedImage:
    """A rendered image and the key of its blob."""

    key: str
    data: bytes
    media_type: MediaType
    stored: bool = True


def get_or_render(
    repository: Repository, inputs: object, draw: Callable[[], RenderedImage], blobs: BlobStore
) -> CachedImage:
    """Return the image for the inputs from the cache, or render and store it.

    Call outside transactions: the storage may be slow. On a full disk nothing is stored.
    """
    stem = _stem(repository, inputs)
    found = _find_cached(stem, blobs)
    if found is not None:
        return found
    release_connection()
    with _render_slots.reserve(repository.organization_id, 1, RENDER_WAIT_SECONDS):
        # During the wait, another call may have rendered the same image.
        return _find_cached(stem, blobs) or _render_and_store(repository, stem, draw, blobs)


def _render_and_store(
    repository: Repository, stem: str, draw: Callable[[], RenderedImage], blobs: BlobStore
) -> CachedImage:
    image = draw()
    key = stem + SUFFIXES[image.media_type]
    stored = _store(repository, key, image.data, blobs)
    return CachedImage(key, image.data, image.media_type, stored)


def delete_rendered(organization_id: str, repository_id: str, blobs: BlobStore) -> None:
    """Delete all rendered images of a deleted repository; safe to interrupt and repeat."""
    blobs.delete(list(blobs.keys(_folder(organization_id, repository_id))))


def delete_rendered_before(repository: Repository, moment: datetime, blobs: BlobStore) -> int:
    """Delete images rendered before ``moment``; they are rendered again on demand."""
    old = blobs.stored_before(_folder(repository.organization_id, repository.id), moment)
    blobs.delete(old)
    return len(old)


def rendered_bytes(repository: Repository, blobs: BlobStore) -> int:
    folder = _folder(repository.organization_id, repository.id)
    return sum(size for _, size in blobs.sizes(folder))


def _folder(organization_id: str, repository_id: str) -> str:
    return f"drawn/{organization_id}/{repository_id}"


def _stem(repository: Repository, inputs: object) -> str:
    digest = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    folder = _folder(repository.organization_id, repository.id)
    return f"{folder}/{digest[:2]}/{digest}"


def _find_cached(stem: str, blobs: BlobStore) -> CachedImage | None:
    for media_type, suffix in SUFFIXES.items():
        try:
            return CachedImage(stem + suffix, blobs.get(stem + suffix), media_type)
        except BlobMissingError:
            continue
    return None


def _store(repository: Repository, key: str, data: bytes, blobs: BlobStore) -> bool:
    """Store nothing during a repository's removal: its images may be deleted already."""
    existing = Repository.objects.filter(pk=repository.id, removed_at=None)
    if not existing.exists():
        return False
    try:
        blobs.put(key, data)
    except StorageFullError:
        return False
    if existing.exists():
        return True
    # The repository was removed meanwhile, and no other repository has this key.
    blobs.delete([key])
    return False
