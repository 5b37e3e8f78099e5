"""Videos are uploaded in parts, so a broken connection costs only one part; pure."""

from dataclasses import dataclass
from typing import Final

# Above S3's minimum for a part, and small enough to send again over a slow connection.
PART_SIZE: Final = 8 * 1024 * 1024


@dataclass(frozen=True)
class Part:
    """Bytes ``offset`` to ``offset + size`` of the file; ``number`` counts from 1."""

    number: int
    offset: int
    size: int


def parts_of(size: int, part_size: int) -> list[Part]:
    """Return the parts of a file of ``size`` bytes, in order; none for an empty file."""
    return [
        Part(number, offset, min(part_size, size - offset))
        for number, offset in enumerate(range(0, size, part_size), start=1)
    ]
