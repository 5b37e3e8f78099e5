"""Finds images that rows refer to and the storage lacks."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Final

import psycopg

from visual_review.builds.images.keys import image_key_of
from visual_review.config.environment import DATABASE_URL
from visual_review.kernel.blobs import BlobStore

IMAGES: Final = "images/"
# Of a million keys, one is mistaken for another with a probability of about 1 in 40 million.
DIGEST_BYTES: Final = 8
ROWS_AT_ONCE: Final = 10_000
_ALL: Final = "SELECT organization_id, sha256 FROM builds_image ORDER BY id"
_ONE: Final = "SELECT 1 FROM builds_image WHERE organization_id = %s AND sha256 = %s"


class StoredImages:
    """The keys of found images, in few bytes each: there may be millions."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def add(self, key: str) -> None:
        if key.startswith(IMAGES):
            self._digests.add(_digest(key))

    def __contains__(self, key: str) -> bool:
        return _digest(key) in self._digests


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=DIGEST_BYTES).digest()


def find_missing_images(store: BlobStore, found: StoredImages) -> list[str]:
    """Return the keys of images with a row that are neither in ``found`` nor in the storage.

    Images stored or deleted during the listing of the storage are not missing.
    """
    with psycopg.connect(os.environ[DATABASE_URL]) as database:
        candidates = [row for row in _read_rows(database) if image_key_of(*row) not in found]
        return [image_key_of(*row) for row in candidates if _is_missing(store, database, row)]


def _read_rows(database: psycopg.Connection) -> Iterator[tuple[str, str]]:
    with database.cursor(name="images") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        rows: Iterable[tuple[str, str]] = cursor.execute(_ALL)
        yield from rows


def _is_missing(store: BlobStore, database: psycopg.Connection, row: tuple[str, str]) -> bool:
    if store.size(image_key_of(*row)) is not None:
        return False
    # The row is deleted before the file, so a remaining row refers to nothing.
    return database.execute(_ONE, row).fetchone() is not None
