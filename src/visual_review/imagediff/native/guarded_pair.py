"""A compared pair with a fallback to the other engine after a panic in the library."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.native.library import LibraryPanicError
from visual_review.imagediff.port import (
    Alignment,
    Buffer,
    ComparedPair,
    FaintAreas,
    Marks,
    Outline,
    Piece,
    Side,
)
from visual_review.imagediff.sketch import Sketch

logger: Final = logging.getLogger(__name__)
T = TypeVar("T")


def report_panic(error: Exception, *files: bytes) -> None:
    """Log a panic with the hashes of the files, to find the files again."""
    if isinstance(error, LibraryPanicError):
        hashes = " and ".join(hashlib.sha256(each).hexdigest() for each in files)
        logger.error(
            "The native comparison engine failed in %s for %s; numpy is used instead. This is a "
            "defect: please report it with both images.",
            *(error, hashes),
        )


@dataclass(slots=True)
class GuardedPair:
    """``pair`` and ``mask`` are the library's; ``again`` compares with numpy.

    ``files`` are the earlier and the later file.
    """

    pair: ComparedPair
    mask: Buffer
    again: Callable[[], Marks]
    files: tuple[bytes, bytes]
    marks: Marks | None = field(default=None, init=False)

    def draw(self) -> bytes:
        return self._run(lambda pair: pair.draw())

    def crop(self, side: Side, box: Box) -> bytes:
        return self._run(lambda pair: pair.crop(side, box))

    def find_pieces(self, alignment: Alignment) -> tuple[Piece, ...] | None:
        return self._run(lambda pair: pair.find_pieces(alignment))

    def outline(self, side: Side, top: int, bottom: int) -> Outline | None:
        return self._run(lambda pair: pair.outline(side, top, bottom))

    def sketch(self, side: Side, box: Box) -> Sketch | None:
        return self._run(lambda pair: pair.sketch(side, box))

    def measure(self, mask: Buffer, box: Box, offset: tuple[int, int] = (0, 0)) -> AreaFeatures:
        return self._run(lambda pair: pair.measure(mask, box, offset))

    def find_faint(self) -> FaintAreas:
        return self._run(lambda pair: pair.find_faint())

    def align(self) -> Alignment:
        return self._run(lambda pair: pair.align())

    def _run(self, call: Callable[[ComparedPair], T]) -> T:
        if self.marks is None:
            try:
                return call(self.pair)
            except LibraryPanicError as error:
                report_panic(error, *self.files)
                # From now on, so no half of a panicked call is used.
                self.marks = self.again()
        result = call(self.marks.pair)
        # The caller's mask needs the marks of faint areas.
        memoryview(self.mask)[:] = memoryview(self.marks.mask).cast("B")
        return result
