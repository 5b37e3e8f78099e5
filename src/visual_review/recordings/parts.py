"""A video travels in parts of one size, so that a broken connection costs one of them; pure."""

from dataclasses import dataclass
from typing import Final

# Above the least that S3 takes for a part of its own, small enough to send again on a slow line.
PART_SIZE: Final = 8 * 1024 * 1024


@dataclass(frozen=True)
class Part:
    """Bytes ``offset`` to ``offset + size`` of the file; ``number`` counts from 1."""

    number: int
    offset: int
    size: int


def parts_of(size: int, part_size: int) -> list[Part]:
    """The parts of a file of ``size`` bytes, in order; none of an empty file."""
    return [
        Part(number, offset, min(part_size, size - offset))
        for number, offset in enumerate(range(0, size, part_size), start=1)
    ]
