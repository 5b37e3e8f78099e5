"""A panic of the library costs time, never a result: numpy takes over at every call."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.case import Case
from tests.support.imagediff.engines import require_native_engine
from tests.support.imagediff.images import page, rectangle, text
from visual_review.imagediff.engine import numpy_engine
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS, Box
from visual_review.imagediff.native.engine import NativeEngine
from visual_review.imagediff.native.library import PANICKED, load_library
from visual_review.imagediff.port import ComparedPair, Engine

BEFORE = page(text(10, 10, "Ships"), rectangle(40, 60, 100, 40, "#f0f0f0"))
AFTER = page(text(10, 26, "Ships"), rectangle(40, 76, 100, 40, "#f4f4f4"))
AREA = Box(30, 20, 120, 100)


class PanickingLibrary:
    """The library, with a function that panics from its call number ``first`` on."""

    def __init__(self, function: str, first: int = 1) -> None:
        self._function = function
        self._left = first

    def __getattr__(self, name: str) -> Callable[..., int]:
        real: Callable[..., int] = getattr(load_library(), name)

        def call(*arguments: object) -> int:
            if name == self._function:
                self._left -= 1
                if self._left <= 0:
                    return PANICKED
            return real(*arguments)

        return call


def panicking(function: str, first: int = 1) -> NativeEngine:
    library: Any = PanickingLibrary(function, first)
    return NativeEngine(library, numpy_engine)


@pytest.fixture(autouse=True)
def native() -> None:
    require_native_engine()


CALLS: dict[str, tuple[str, Callable[[ComparedPair], object]]] = {
    "draw": ("vr_draw", lambda pair: pair.draw()),
    "crop": ("vr_crop", lambda pair: pair.crop("after", AREA)),
    "find_pieces": ("vr_find_pieces", lambda pair: pair.find_pieces(pair.align())),
    "sketch": ("vr_sketch", lambda pair: pair.sketch("after", AREA)),
    "outline": ("vr_outline", lambda pair: pair.outline("before", 0, 150)),
    "measure": ("vr_measure", lambda pair: pair.measure(bytearray([1]) * 240 * 160, AREA)),
    "find_faint": ("vr_find_faint", lambda pair: pair.find_faint()),
    "align": ("vr_align", lambda pair: pair.align()),
    "settle": ("vr_settle", lambda pair: pair.align()),
}


def test_each_step_after_the_comparison_has_the_result_of_numpy(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    expected = numpy_engine().mark(BEFORE, AFTER, DEFAULT_OPTIONS, DEFAULT_LIMITS)
    for name, (function, call) in CALLS.items():
        with case(name):
            caplog.clear()
            marks = panicking(function).mark(BEFORE, AFTER, DEFAULT_OPTIONS, DEFAULT_LIMITS)
            found = call(marks.pair)
            wanted = call(expected.pair)
            if name in ("align", "settle"):
                found, wanted = found.moves, wanted.moves  # type: ignore[attr-defined]
            assert found == wanted
            # Once for a pair, with the facts for finding both images again.
            call(marks.pair)
            (record,) = caplog.records
            assert record.levelno == logging.ERROR
            assert function in record.getMessage()
            assert record.getMessage().count(" and ") == 1


def test_faint_areas_are_marked_in_the_mask_that_the_caller_has() -> None:
    marks = panicking("vr_find_faint").mark(BEFORE, AFTER, DEFAULT_OPTIONS, DEFAULT_LIMITS)
    expected = numpy_engine().mark(BEFORE, AFTER, DEFAULT_OPTIONS, DEFAULT_LIMITS)
    assert marks.pair.find_faint() == expected.pair.find_faint()
    assert bytes(marks.mask) == bytes(expected.mask)


READS: dict[str, Callable[[Engine], object]] = {
    "decode": lambda engine: bytes(engine.decode(AFTER, DEFAULT_LIMITS).pixels),
    "hash_pixels": lambda engine: engine.hash_pixels(AFTER, DEFAULT_LIMITS),
    "bands": lambda engine: b"".join(
        bytes(band.pixels) for band in engine.read_bands(AFTER, DEFAULT_LIMITS)
    ),
}


def test_reading_falls_back_at_every_call(case: Case) -> None:
    for name, read in READS.items():
        # The rows are checked by the first call; a later one reads them.
        for first in (1, 2):
            with case(f"{name} {first}"):
                assert read(panicking("vr_read_rows", first)) == read(numpy_engine())
    counts = panicking("vr_mark").mark(BEFORE, AFTER, DEFAULT_OPTIONS, DEFAULT_LIMITS).counts
    assert counts == numpy_engine().mark(BEFORE, AFTER, DEFAULT_OPTIONS, DEFAULT_LIMITS).counts
