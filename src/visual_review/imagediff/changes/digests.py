"""Digests of what compared images have in a rectangle."""

from collections.abc import Iterator
from typing import Final, Protocol

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Side

SIDES: Final[tuple[Side, Side]] = ("before", "after")
# Pages of which more changed are alike with none, which saves the time to read all of them.
MOST_DIGESTED: Final = 6_000_000
BAND_PIXELS: Final = 64 * 1024


class Digest(Protocol):
    """A hash of the standard library."""

    def update(self, data: bytes, /) -> None: ...


def digest_side(digest: Digest, marks: Marks, side: Side, box: Box) -> None:
    """Add what one image has in a box, and how much of the box it covers."""
    inner = fit_within(box, marks.before if side == "before" else marks.after)
    digest.update(f"{inner.width} {inner.height} ".encode())
    for band in split_box(inner):
        digest.update(marks.pair.crop(side, band))


def split_box(box: Box) -> Iterator[Box]:
    """Yield bands of a box, so that little of an image is copied at a time."""
    rows = max(1, BAND_PIXELS // max(1, box.width))
    for y in range(box.y, box.y + box.height if box.width else box.y, rows):
        yield Box(box.x, y, box.width, min(rows, box.y + box.height - y))


def fit_within(box: Box, size: tuple[int, int]) -> Box:
    """Return the part of a box that is in an image of this size."""
    x, y = min(box.x, size[0]), min(box.y, size[1])
    return Box(x, y, min(box.width, size[0] - x), min(box.height, size[1] - y))
