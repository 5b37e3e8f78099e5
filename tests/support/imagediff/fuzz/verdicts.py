"""Whether both engines, and both inflate libraries, have the same verdict on a case."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tests.support.imagediff.fuzz.damaged_input import FuzzCase
from visual_review.imagediff.engine import numpy_engine
from visual_review.imagediff.errors import ImageError
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits
from visual_review.imagediff.native import library
from visual_review.imagediff.native.engine import NativeEngine
from visual_review.imagediff.native.inflating import UnusualFileError, inflate_exactly
from visual_review.imagediff.port import Engine

UNREADABLE = 1


@dataclass(frozen=True, slots=True)
class StrictEngine(NativeEngine):
    """Raises AssertionError where the library panics or is given data of a wrong length."""

    def _call(self, function: str, *arguments: object) -> None:
        status = getattr(self.library, function)(*arguments)
        assert status in (0, UNREADABLE), f"{function} ends with status {status}"
        if status:
            raise UnusualFileError


def strict_engine() -> StrictEngine:
    """Return the native engine. Raises LibraryError where the library cannot be loaded."""
    return StrictEngine(library.load_library(), numpy_engine)


def use_library(path: Path) -> None:
    """Load another library in this process, such as one with checks of overflow."""
    library.load_library.cache_clear()
    with patch.object(library, "library_path", return_value=path.resolve()):
        library.load_library()


Outcome = tuple[object, ...]
# zlib refuses codes that DEFLATE reserves and never assigns; libdeflate gives them a meaning. No
# compressor writes such codes, and the checksum at the end holds for either.
RESERVED_CODES = (
    "invalid literal/length code",
    "invalid distance code",
    "too many length or distance symbols",
)


class DisagreementError(AssertionError):
    """The verdicts differ."""


def check_case(case: FuzzCase, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Return whether the input was read. Raises DisagreementError."""
    if case.kind == "stream":
        return check_stream(case.before, case.size)
    read = mark if case.kind == "pair" else READERS[len(case.before) % len(READERS)]
    native, numpy = (read(engine, case, limits) for engine in (strict_engine(), numpy_engine()))
    if native != numpy and not is_known(numpy):
        raise DisagreementError(f"native: {shorten(native)}\nnumpy: {shorten(numpy)}")
    return native[0] == "read"


def decode(engine: Engine, case: FuzzCase, limits: Limits) -> Outcome:
    def read() -> Outcome:
        decoded = engine.decode(case.before, limits)
        return decoded.width, decoded.height, bytes(decoded.pixels)

    return outcome(read)


def hash_pixels(engine: Engine, case: FuzzCase, limits: Limits) -> Outcome:
    return outcome(lambda: (engine.hash_pixels(case.before, limits),))


def mark(engine: Engine, case: FuzzCase, limits: Limits) -> Outcome:
    def read() -> Outcome:
        marks = engine.mark(case.before, case.after, case.options, limits)
        found = (marks.width, marks.height, marks.counts, marks.boxes)
        return (*found, marks.same_size, bytes(marks.mask), marks.pair.draw())

    return outcome(read)


# A digest is made of the decoded image, so digests are requested less often.
READERS = (decode, decode, hash_pixels)


def outcome(read: Callable[[], Outcome]) -> Outcome:
    try:
        return ("read", *read())
    except ImageError as error:
        return (type(error).__name__, str(error), error.side)


def is_known(numpy: Outcome) -> bool:
    """Return whether only the inflate libraries differ, on input that no compressor writes."""
    return numpy[0] != "read" and any(words in str(numpy[1]) for words in RESERVED_CODES)


def check_stream(stream: bytes, size: int) -> bool:
    """Return whether a zlib stream was inflated. Raises DisagreementError."""
    try:
        inflated = bytes(inflate_exactly(stream, size))
    except UnusualFileError:
        inflated = None
    expected, problem = inflate_by_zlib(stream, size)
    if inflated != expected and not is_known(("zlib", problem)):
        raise DisagreementError(
            f"libdeflate: {shorten((inflated,))}\nzlib: {shorten((expected, problem))}"
        )
    return inflated is not None


def inflate_by_zlib(stream: bytes, size: int) -> tuple[bytes | None, str]:
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(stream, size + 1)
    except zlib.error as error:
        return None, str(error)
    if reader.unused_data:
        return None, "bytes follow"
    return (found, "") if reader.eof and len(found) == size else (None, "incomplete")


def shorten(outcome: Outcome) -> str:
    return str(tuple(f"{part!r:.200}" for part in outcome))
