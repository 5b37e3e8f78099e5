"""Keeps pictures that were drawn to be looked at, so that none is drawn twice.

They lie under their repository and go with it. Each is named by all that it was drawn from, so
what is found is never out of date.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import BoundedSemaphore
from typing import Final

from visual_review.imagediff.encoding import MediaType, RenderedImage
from visual_review.kernel.blob_locks import deleting, storing
from visual_review.kernel.blobs import BlobMissingError, BlobStore
from visual_review.kernel.errors import StorageFullError, UnavailableError
from visual_review.repositories.models import Repository

SUFFIXES: Final[dict[MediaType, str]] = {"image/png": ".png", "image/jpeg": ".jpg"}
DELETE_RENDERED: Final = "delete_drawn_pictures"
# Reading a large picture needs memory, and every thread of the web process may ask at once.
_at_work = BoundedSemaphore(2)
# Longer than any picture takes, and shorter than clients wait.
RENDER_WAIT_SECONDS: Final = 20


@dataclass(frozen=True)
class CachedImage:
    """A drawn picture and the key of its blob."""

    key: str
    data: bytes
    media_type: MediaType
    stored: bool = True


def cached_or_rendered(
    repository: Repository, facts: object, draw: Callable[[], RenderedImage], blobs: BlobStore
) -> CachedImage:
    """The picture of these facts: what is kept, else drawn and kept now.

    Call it outside transactions: the storage may be far away. On a full disk nothing is kept.
    """
    stem = _stem(repository, facts)
    found = _kept(stem, blobs)
    if found is not None:
        return found
    if not _at_work.acquire(timeout=RENDER_WAIT_SECONDS):
        raise UnavailableError("Many pictures are being drawn at this moment; ask again for it.")
    try:
        # Whoever waited may have waited for this very picture.
        return _kept(stem, blobs) or _drawn(repository, stem, draw, blobs)
    finally:
        _at_work.release()


def _drawn(
    repository: Repository, stem: str, draw: Callable[[], RenderedImage], blobs: BlobStore
) -> CachedImage:
    drawn = draw()
    key = stem + SUFFIXES[drawn.media_type]
    stored = _store(repository, key, drawn.data, blobs)
    return CachedImage(key, drawn.data, drawn.media_type, stored)


def delete_rendered(organization_id: str, repository_id: str, blobs: BlobStore) -> None:
    """Delete all that was drawn for a repository that is gone; may be cut and run again."""
    with deleting(organization_id):
        blobs.delete(list(blobs.keys(_folder(organization_id, repository_id))))


def delete_rendered_before(repository: Repository, moment: datetime, blobs: BlobStore) -> int:
    """Delete what was drawn before ``moment``; whoever asks for it has it drawn again."""
    old = blobs.stored_before(_folder(repository.organization_id, repository.id), moment)
    blobs.delete(old)
    return len(old)


def rendered_bytes(repository: Repository, blobs: BlobStore) -> int:
    return sum(blobs.sizes(_folder(repository.organization_id, repository.id)).values())


def _folder(organization_id: str, repository_id: str) -> str:
    return f"drawn/{organization_id}/{repository_id}"


def _stem(repository: Repository, facts: object) -> str:
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    folder = _folder(repository.organization_id, repository.id)
    return f"{folder}/{digest[:2]}/{digest}"


def _kept(stem: str, blobs: BlobStore) -> CachedImage | None:
    for media_type, suffix in SUFFIXES.items():
        try:
            return CachedImage(stem + suffix, blobs.get(stem + suffix), media_type)
        except BlobMissingError:
            continue
    return None


def _store(repository: Repository, key: str, data: bytes, blobs: BlobStore) -> bool:
    with storing(repository.organization_id):
        # For a repository that is being removed nothing new may come: what was drawn for it may
        # be deleted already.
        if not Repository.objects.filter(pk=repository.id, removed_at=None).exists():
            return False
        try:
            blobs.put(key, data)
        except StorageFullError:
            return False
    return True
