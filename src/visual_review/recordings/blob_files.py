"""Blobs as files, for videos too large for memory."""

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
    disk_full_error,
    storage_error,
)
from visual_review.kernel.errors import InvalidInputError

# Marks incomplete files: a killed process may leave one, and the file must not pass as a blob.
UNFINISHED: Final = ".unfinished-"
# The type of uploads, because none is served from its first place of storage.
UNKNOWN_TYPE: Final = "application/octet-stream"
PIECE: Final = 1024 * 1024
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def store_pieces(blobs: BlobStore, key: str, pieces: Iterator[bytes], size: int) -> None:
    """Store ``size`` bytes as they arrive, completely or not at all.

    Raises InvalidInputError if ``pieces`` have another size, StorageFullError, UnavailableError.
    """
    if blobs.folder is None:
        _put(blobs, key, _of_size(pieces, size), UNKNOWN_TYPE)
        return
    blobs.check_free_space(size)
    _write(blobs.folder, key, _of_size(pieces, size))


def _of_size(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield the pieces. Raises InvalidInputError unless ``pieces`` have ``size`` bytes in all."""
    received = 0
    for piece in pieces:
        received += len(piece)
        if received > size:
            raise InvalidInputError(f"The body has more than {size} bytes. Nothing was stored.")
        yield piece
    if received < size:
        raise InvalidInputError(
            f"The body ended after {received} of {size} bytes. Nothing was stored; send it again."
        )


def _write(folder: Path, key: str, pieces: Iterator[bytes]) -> None:
    # obstore hides incomplete files from its lists, so nothing would delete the files of a killed
    # process. A folder cannot store a content type; the extension of the key implies the type.
    target = folder / key
    unfinished = target.with_name(f"{target.name}{UNFINISHED}{secrets.token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:
        if error.errno in FULL:
            raise disk_full_error() from error
        raise storage_error("write", key) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def put_file(blobs: BlobStore, key: str, file: IO[bytes], content_type: str) -> None:
    """Store an open file unless the key exists with the same size: stored bytes never change."""
    size = file.seek(0, os.SEEK_END)
    if blobs.size(key) == size:
        return
    file.seek(0)
    if blobs.folder is not None:
        store_pieces(blobs, key, _pieces_of(file), size)
    else:
        _put(blobs, key, file, content_type)


def put_pieces(blobs: BlobStore, key: str, pieces: Iterator[bytes], content_type: str) -> None:
    """Store bytes of unknown size as they arrive, completely or not at all.

    Raises StorageFullError or UnavailableError.
    """
    if blobs.folder is not None:
        _write(blobs.folder, key, pieces)
    else:
        _put(blobs, key, pieces, content_type)


def _put(
    blobs: BlobStore, key: str, source: IO[bytes] | Iterator[bytes], content_type: str
) -> None:
    try:
        obstore.put(blobs.store, key, source, attributes={"Content-Type": content_type})
    except (BaseError, OSError) as error:
        raise storage_error("write", key) from error


def _pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def get_to_file(blobs: BlobStore, key: str, file: IO[bytes]) -> Iterator[bytes]:
    """Append the bytes of ``key`` to ``file`` and yield the bytes in pieces.

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
        raise storage_error("read", key) from error
    except OSError as error:
        if error.errno in FULL:
            raise disk_full_error() from error
        raise
