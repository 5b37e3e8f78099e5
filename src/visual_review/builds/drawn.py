"""Keeps pictures that were drawn to be looked at, so that none is drawn twice.

They lie under their repository and go with it. Each is named by all that it was drawn from, so
what is kept is never out of date; what a later comparison replaces stays until then.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

from visual_review.imagediff.encoding import Drawn, MediaType
from visual_review.kernel.blob_guard import deleting, storing
from visual_review.kernel.blobs import BlobMissingError, BlobStore
from visual_review.kernel.errors import StorageFullError
from visual_review.repositories.models import Repository

SUFFIXES: Final[dict[MediaType, str]] = {"image/png": ".png", "image/jpeg": ".jpg"}
# A large picture needs memory while it is read, and every thread of the web process may ask.
_room = BoundedSemaphore(2)


@dataclass(frozen=True)
class Kept:
    """A drawn picture and the key it is kept under."""

    key: str
    data: bytes
    media_type: MediaType


def kept_or_drawn(
    repository: Repository, facts: object, draw: Callable[[], Drawn], blobs: BlobStore
) -> Kept:
    """The picture of these facts: what is kept, else drawn and kept now.

    Call it outside transactions: the storage may be far away.
    """
    stem = _stem(repository, facts)
    with _room:
        found = _kept(stem, blobs)
        if found is not None:
            return found
        drawn = draw()
    kept = Kept(stem + SUFFIXES[drawn.media_type], drawn.data, drawn.media_type)
    _keep(repository, kept, blobs)
    return kept


def delete_drawn(organization_id: str, repository_id: str, blobs: BlobStore) -> None:
    """Delete all that was drawn for a repository that is gone; may be cut and run again."""
    with deleting(organization_id):
        blobs.delete(list(blobs.keys(_folder(organization_id, repository_id))))


def _folder(organization_id: str, repository_id: str) -> str:
    return f"drawn/{organization_id}/{repository_id}"


def _stem(repository: Repository, facts: object) -> str:
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    folder = _folder(repository.organization_id, repository.id)
    return f"{folder}/{digest[:2]}/{digest}"


def _kept(stem: str, blobs: BlobStore) -> Kept | None:
    for media_type, suffix in SUFFIXES.items():
        try:
            return Kept(stem + suffix, blobs.get(stem + suffix), media_type)
        except BlobMissingError:
            continue
    return None


def _keep(repository: Repository, kept: Kept, blobs: BlobStore) -> None:
    with storing(repository.organization_id):
        # Of a repository that is being removed nothing new may be stored: the look for what was
        # drawn for it may have been already.
        if not Repository.objects.filter(pk=repository.id, removed_at=None).exists():
            return
        try:
            blobs.put(kept.key, kept.data)
        except StorageFullError:
            # Looking at pictures goes on without it.
            return
