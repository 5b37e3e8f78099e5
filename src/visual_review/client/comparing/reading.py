"""Read image files without waiting for pipes, and within limits."""

import os
import stat
from typing import Final

from visual_review.client.comparing.errors import UnreadableFileError
from visual_review.client.comparing.image_listing import describe_kind, explain
from visual_review.imagediff import Limits

# A pipe is opened without waiting for the other end; Windows would alter line endings.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_file(path: str, limits: Limits) -> bytes:
    """Return the content of a regular file. Raises UnreadableFileError."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return _read(descriptor, limits)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UnreadableFileError(explain(error)) from error


def _read(descriptor: int, limits: Limits) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError(describe_kind(status.st_mode))
    if status.st_size > limits.file_bytes:
        raise UnreadableFileError(
            f"the file has {status.st_size:,} bytes; at most {limits.file_bytes:,} are supported"
        )
    data = os.read(descriptor, status.st_size)
    # One read is enough for a file with no other writer meanwhile.
    while len(data) < status.st_size:
        more = os.read(descriptor, status.st_size - len(data))
        if not more:
            break
        data += more
    return data
