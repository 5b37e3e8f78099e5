"""Checks that a file is complete: everything its containers declare must be in it; pure.

Video libraries read a truncated file without an error, so the sizes are checked here.
Layouts: RFC 8794 (EBML), RFC 9559 (Matroska), ISO/IEC 14496-12 (boxes).
"""

import os
from typing import IO, Final

from visual_review.recordings.video.containers import Container
from visual_review.recordings.video.errors import VideoRefusedError

SEGMENT: Final = 0x18538067
CLUSTER: Final = 0x1F43B675
# Read into if they have no known size, as written by recorders that cannot seek.
OPEN_ENDED: Final = frozenset({SEGMENT, CLUSTER})
LONGEST_ID: Final = 4
LONGEST_SIZE: Final = 8
SMALLEST_BOX: Final = 8
LARGE_BOX: Final = 16
# A day at 60 frames a second has about five million blocks.
MOST_ELEMENTS: Final = 10_000_000
NOT_READABLE: Final = "The file's structure is damaged at byte {}; it cannot be read."


def check_complete(file: IO[bytes], container: Container) -> None:
    """Raise VideoRefusedError if ``file`` is shorter than its containers declare."""
    end = file.seek(0, os.SEEK_END)
    if container == "mov":
        _check_boxes(file, end)
    else:
        _check_elements(file, end)


def _check_boxes(file: IO[bytes], end: int) -> None:
    position, has_index = 0, False
    for _ in range(MOST_ELEMENTS):
        if position == end:
            break
        size, kind = _box(file, position, end)
        has_index = has_index or kind == b"moov"
        position += size
        if position > end:
            raise _truncated(end, position - end)
    if not has_index:
        raise VideoRefusedError(
            "The file has no index (moov) and cannot be played: the recorder was stopped before "
            "it wrote the index."
        )


def _box(file: IO[bytes], position: int, end: int) -> tuple[int, bytes]:
    file.seek(position)
    head = file.read(LARGE_BOX)
    if len(head) < SMALLEST_BOX:
        raise _truncated(end, SMALLEST_BOX - len(head))
    size, kind = int.from_bytes(head[:4]), head[4:8]
    if size == 0:
        return end - position, kind
    if size == 1:
        if len(head) < LARGE_BOX:
            raise _truncated(end, LARGE_BOX - len(head))
        size = int.from_bytes(head[8:16])
    if size < SMALLEST_BOX:
        raise VideoRefusedError(NOT_READABLE.format(position))
    return size, kind


def _check_elements(file: IO[bytes], end: int) -> None:
    position = 0
    has_segment = False
    for _ in range(MOST_ELEMENTS):
        if position == end:
            # A file may end within the segment of a recorder, but not between header and segment.
            if not has_segment:
                raise _truncated(end, 1)
            return
        file.seek(position)
        head = file.read(LONGEST_ID + LONGEST_SIZE)
        identity, id_length = _number(head, LONGEST_ID, position, end)
        size, size_length = _number(head[id_length:], LONGEST_SIZE, position, end)
        position += id_length + size_length
        has_segment |= identity == SEGMENT
        value = size & ~(1 << 7 * size_length)
        if value == (1 << 7 * size_length) - 1:
            if identity not in OPEN_ENDED:
                raise VideoRefusedError(NOT_READABLE.format(position))
        elif position + value > end:
            raise _truncated(end, position + value - end)
        elif identity != SEGMENT:
            position += value


def _number(data: bytes, longest: int, position: int, end: int) -> tuple[int, int]:
    """Return an EBML number with its marker, and its length, given by the leading zeros."""
    if not data:
        raise _truncated(end, 1)
    length = 9 - data[0].bit_length()
    if length > longest:
        raise VideoRefusedError(NOT_READABLE.format(position))
    if len(data) < length:
        raise _truncated(end, length - len(data))
    return int.from_bytes(data[:length]), length


def _truncated(end: int, missing: int) -> VideoRefusedError:
    return VideoRefusedError(
        f"The file is truncated: it ends after {end} bytes, and at least {missing} more are "
        "missing. Wait until the recorder has finished before you upload the file."
    )
