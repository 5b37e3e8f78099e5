"""Blobs as files: videos are too large to be held in memory."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import obstore
from obstore.exceptions import BaseError

from visual_review.kernel.blobs import (
    BlobMissingError,
    BlobStore,
    disk_full,
    unavailable,
)
from visual_review.kernel.errors import InvalidInputError

# Told apart from whole blobs by its name, so that what a killed process left is never taken for one.
UNFINISHED: Final = ".unfinished-"
PIECE: Final = 1024 * 1024
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def take(blobs: BlobStore, key: str, pieces: Iterator[bytes], size: int) -> None:
    """Store ``size`` bytes as they come in, into a storage folder; all of them or nothing.

    Raises InvalidInputError when ``pieces`` hold another number of bytes, StorageFullError.
    """
    if blobs.folder is None:
        raise TypeError("Only a storage folder takes bytes through the service.")
    blobs.check_room(size)
    _write(blobs.folder, key, pieces, size)


def _write(folder: Path, key: str, pieces: Iterator[bytes], size: int | None = None) -> None:
    # The store's own way would hide what a killed process left: no list names it, hence nothing
    # would delete it. A folder has no place for a type; there the ending of the key tells it.
    target = folder / key
    unfinished = target.with_name(f"{target.name}{UNFINISHED}{secrets.token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("xb") as file:
            got = _copy(pieces, file)
            if size is not None and got != size:
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
    """Store a file's bytes; a key that holds as many keeps them, since keys name contents."""
    if blobs.size(key) == path.stat().st_size:
        return
    if blobs.folder is not None:
        take(blobs, key, _pieces_of(path), path.stat().st_size)
    else:
        _put(blobs, key, path, content_type)


def put_pieces(blobs: BlobStore, key: str, pieces: Iterator[bytes], content_type: str) -> None:
    """Store bytes of unknown number as they come; whole, or not at all.

    Raises StorageFullError or UnavailableError.
    """
    if blobs.folder is not None:
        _write(blobs.folder, key, pieces)
    else:
        _put(blobs, key, pieces, content_type)


def _put(blobs: BlobStore, key: str, source: Path | Iterator[bytes], content_type: str) -> None:
    try:
        obstore.put(blobs.store, key, source, attributes={"Content-Type": content_type})
    except (BaseError, OSError) as error:
        raise unavailable("write", key) from error


def _pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


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
