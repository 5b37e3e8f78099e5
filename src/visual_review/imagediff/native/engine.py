"""Compares with the library, and leaves damaged files to the other engine."""

import ctypes
import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from visual_review.imagediff.container import count_inflated_bytes, read_header
from visual_review.imagediff.errors import ImageError, naming_side
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box, Limits, Options, VerifiedImage
from visual_review.imagediff.native import library as abi
from visual_review.imagediff.native.inflating import (
    InflatedImage,
    UnusualFileError,
    as_pixels,
    inflate,
    pointer_to,
)
from visual_review.imagediff.native.library import LibraryPanicError
from visual_review.imagediff.native.pair import NativePair
from visual_review.imagediff.port import (
    Alignment,
    Buffer,
    ComparedPair,
    Counts,
    DecodedImage,
    Engine,
    FaintAreas,
    Marks,
    Outline,
    Piece,
    Side,
)
from visual_review.imagediff.rectangles import Size, check_area, find_rectangle, unite
from visual_review.imagediff.sketch import Sketch

logger: Final = logging.getLogger(__name__)
T = TypeVar("T")
# Large enough for few calls, small enough to stay in the processor's cache.
BAND_BYTES: Final = 512 * 1024
# A digest needs all of the inflated data here, but only a band in the other engine.
LARGEST_DIGESTED: Final = 32 * 1024 * 1024
# Each call checks the palette's indices in the whole image again, so calls have to be few.
LARGEST_BAND: Final = 4 * 1024 * 1024
SAMPLE_BITS: Final = 8
# Errors for the other engine: the other engine finds the damage of a file, or lacks the defect.
DEFERRED: Final = (UnusualFileError, abi.LibraryPanicError)


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


@dataclass(frozen=True, slots=True)
class NativeEngine:
    """Compares by the library; ``reference`` words the errors of damaged files."""

    library: ctypes.CDLL
    reference: Callable[[], Engine]

    @property
    def name(self) -> str:
        return "native"

    def decode(self, data: bytes, limits: Limits) -> DecodedImage:
        try:
            found = self._inflate(data, limits)
            return DecodedImage(*found.size, self._read_all(found))
        except DEFERRED as error:
            report_panic(error, data)
            return self.reference().decode(data, limits)

    def read_bands(self, data: bytes, limits: Limits) -> Iterator[DecodedImage]:
        info = read_header(data, limits)
        # The other engine needs only a band of such files, whose inflated data are the largest.
        if info.interlaced or info.bit_depth > SAMPLE_BITS:
            return self.reference().read_bands(data, limits)
        try:
            found = self._inflate(data, limits)
            # All of the file is checked here, so no later band can fail.
            self._call("vr_read_rows", found.image, 0, 0, pointer_to(bytearray(1)))
        except DEFERRED as error:
            report_panic(error, data)
            return self.reference().read_bands(data, limits)
        # Numpy is loaded only on demand.
        return self._read_bands(found, lambda: self.reference().read_bands(data, limits), data)

    def hash_pixels(self, data: bytes, limits: Limits) -> VerifiedImage:
        if count_inflated_bytes(read_header(data, limits)) > LARGEST_DIGESTED:
            return self.reference().hash_pixels(data, limits)
        try:
            found = self._inflate(data, limits)
            return VerifiedImage(*found.size, self._digest(found))
        except DEFERRED as error:
            report_panic(error, data)
            return self.reference().hash_pixels(data, limits)

    def mark(self, before: bytes, after: bytes, options: Options, limits: Limits) -> Marks:
        try:
            with naming_side("before"):
                old = self._inflate(before, limits)
            with naming_side("after"), self._checking(old):
                new = self._inflate(after, limits)
            with self._checking(old, new):
                check_area(old.size, new.size, limits)
            marks = self._mark(old, new, options)
        except DEFERRED as error:
            report_panic(error, before, after)
            return self.reference().mark(before, after, options, limits)
        # Numpy is loaded only on demand.
        pair = GuardedPair(
            marks.pair,
            marks.mask,
            lambda: self.reference().mark(before, after, options, limits),
            (before, after),
        )
        return replace(marks, pair=pair)

    def _inflate(self, data: bytes, limits: Limits) -> InflatedImage:
        found = inflate(data, limits)
        if not found.info.interlaced:
            return found
        width, height = found.size
        rows = bytearray((1 + 4 * width) * height)
        self._call("vr_read_interlaced", found.image, pointer_to(rows))
        return as_pixels(found.info, rows)

    @contextmanager
    def _checking(self, *images: InflatedImage) -> Iterator[None]:
        """Look for damage to the rows of the images before an error of a later step."""
        try:
            yield
        except ImageError:
            for each in images:
                self._call("vr_read_rows", each.image, 0, 0, pointer_to(bytearray(1)))
            raise

    def _read_all(self, found: InflatedImage) -> bytearray:
        width, height = found.size
        pixels = bytearray(4 * width * height)
        self._call("vr_read_rows", found.image, 0, height, pointer_to(pixels))
        return pixels

    def _read_bands(
        self, found: InflatedImage, again: Callable[[], Iterator[DecodedImage]], data: bytes
    ) -> Iterator[DecodedImage]:
        width, height = found.size
        step = max(1, LARGEST_BAND // (4 * width))
        band = bytearray(4 * width * min(step, height))
        for top in range(0, height, step):
            count = min(step, height - top)
            try:
                self._call("vr_read_rows", found.image, top, count, pointer_to(band))
            except abi.LibraryPanicError as error:
                report_panic(error, data)
                yield from _skip_rows(again(), top)
                return
            yield DecodedImage(width, count, memoryview(band)[: 4 * width * count])

    def _digest(self, found: InflatedImage) -> str:
        width, height = found.size
        # The size is part of the digest: the same pixels fill a 2 x 3 and a 3 x 2 image.
        digest = hashlib.sha256(width.to_bytes(8) + height.to_bytes(8))
        step = max(1, BAND_BYTES // (4 * width))
        band = bytearray(4 * width * min(step, height))
        for top in range(0, height, step):
            count = min(step, height - top)
            self._call("vr_read_rows", found.image, top, count, pointer_to(band))
            digest.update(memoryview(band)[: 4 * width * count])
        return digest.hexdigest()

    def _mark(self, old: InflatedImage, new: InflatedImage, options: Options) -> Marks:
        width, height = unite(old.size, new.size)
        regions = _rectangles(options, (width, height))
        mask = bytearray(width * height)
        found = abi.PairResult()
        self._call(
            *("vr_mark", old.image, new.image, options.threshold, options.include_anti_aliased),
            *(regions, len(regions), pointer_to(mask), found),
        )
        return Marks(
            width=width,
            height=height,
            mask=mask,
            counts=_counts(found),
            boxes=tuple(_box(found.boxes[index]) for index in range(found.box_count)),
            before=old.size,
            after=new.size,
            pair=NativePair(
                *(self._call, old, new, mask, regions, options.threshold),
                subtle=found.slight + found.anti_aliased,
            ),
        )

    def _call(self, function: str, *arguments: object) -> None:
        status = getattr(self.library, function)(*arguments)
        if status == abi.PANICKED:
            raise abi.LibraryPanicError(function)
        if status:
            raise UnusualFileError


def _skip_rows(bands: Iterator[DecodedImage], count: int) -> Iterator[DecodedImage]:
    """Yield the rows after the first ``count``."""
    for band in bands:
        skipped = min(count, band.height)
        count -= skipped
        if skipped < band.height:
            rows = memoryview(band.pixels)[4 * band.width * skipped :]
            yield DecodedImage(band.width, band.height - skipped, rows)


def _rectangles(options: Options, size: Size) -> ctypes.Array[abi.Rectangle]:
    found = [abi.Rectangle(*find_rectangle(region, size)) for region in options.regions]
    return (abi.Rectangle * len(found))(*found)


def _counts(found: abi.PairResult) -> Counts:
    return Counts(
        different=found.different,
        ignored=found.ignored,
        anti_aliased=found.anti_aliased,
        ignored_anti_aliased=found.ignored_anti_aliased,
        slight=found.slight,
        compared=found.compared,
    )


def _box(box: abi.Box) -> Box:
    return Box(box.x, box.y, box.width, box.height)
