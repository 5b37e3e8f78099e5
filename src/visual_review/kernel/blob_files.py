"""Blobs as files: videos are too large to be held in memory."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError

from visual_review.kernel.blobs import (
    BlobMissingError,
    BlobStore,
    disk_full,
    is_disk_full,
    unavailable,
)
from visual_review.kernel.errors import InvalidInputError

# Told apart from whole blobs by its name, so that what a killed process left is never taken for one.
UNFINISHED: Final = ".unfinished-"
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def take(blobs: BlobStore, key: str, pieces: Iterator[bytes], size: int) -> None:
    """Store ``size`` bytes as they come in, into a storage folder; all of them or nothing.

    Raises InvalidInputError when ``pieces`` hold another number of bytes, StorageFullError.
    """
    if blobs.folder is None:
        raise TypeError("Only a storage folder takes bytes through the service.")
    blobs.check_room(size)
    target = blobs.folder / key
    unfinished = target.with_name(f"{target.name}{UNFINISHED}{secrets.token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("xb") as file:
            got = _copy(pieces, file)
            if got != size:
                raise InvalidInputError(
                    f"The body ended after {got} of {size} bytes. Nothing was stored; send it again."
                )
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:
        if error.errno in FULL:
            raise disk_full() from error
        raise unavailable("write", key) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _copy(pieces: Iterator[bytes], file: IO[bytes]) -> int:
    return sum(file.write(piece) for piece in pieces)


def put_file(blobs: BlobStore, key: str, path: Path, content_type: str) -> None:
    """Store a file's bytes; a key that exists keeps its bytes, since keys name contents."""
    if blobs.size(key) == path.stat().st_size:
        return
    blobs.check_room(path.stat().st_size)
    _put(blobs, key, path, content_type)


def put_pieces(blobs: BlobStore, key: str, pieces: Iterator[bytes], content_type: str) -> None:
    """Store bytes of unknown number as they come; whole, or not at all.

    Raises StorageFullError or UnavailableError.
    """
    _put(blobs, key, pieces, content_type)


def _put(blobs: BlobStore, key: str, source: Path | Iterator[bytes], content_type: str) -> None:
    # A folder has no place for it; there the ending of the key tells the type.
    attributes = {"Content-Type": content_type} if blobs.folder is None else None
    try:
        obstore.put(blobs.store, key, source, attributes=attributes)
    except AlreadyExistsError:
        return
    except (BaseError, OSError) as error:
        if is_disk_full(error):
            raise disk_full() from error
        raise unavailable("write", key) from error


def get_to_file(blobs: BlobStore, key: str, file: IO[bytes]) -> Iterator[bytes]:
    """Append the bytes of ``key`` to ``file`` and yield them in pieces.

    Raises BlobMissingError, UnavailableError, or StorageFullError.
    """
    try:
        for piece in obstore.get(blobs.store, key).stream():
            data = bytes(piece)
            file.write(data)
            yield data
    except FileNotFoundError as error:
        raise BlobMissingError(key) from error
    except BaseError as error:
        raise unavailable("read", key) from error
    except OSError as error:
        if error.errno in FULL:
            raise disk_full() from error
        raise
