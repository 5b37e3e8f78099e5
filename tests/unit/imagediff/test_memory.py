"""Reading and comparing images never takes more memory than the estimate from the header."""

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from tests.support.case import Case
from tests.support.imagediff.blank_png import blank_png, encode_rgb
from tests.support.imagediff.images import decode
from visual_review.imagediff import Limits, Options, compare_and_render, hash_pixels, probe
from visual_review.imagediff.content import has_same_content
from visual_review.imagediff.engine import engine, numpy_engine
from visual_review.imagediff.memory import (
    comparison_memory,
    content_memory,
    hashing_memory,
    rendering_memory,
)
from visual_review.imagediff.native.engine import SAMPLE_BITS
from visual_review.imagediff.port import Engine

pytestmark = pytest.mark.usefixtures("each_engine")

# Large enough for several bands, and for the estimate not to be dominated by constants.
WIDTH, HEIGHT = 2048, 1536
COMPARED = ((60, 80, 3), (512, 768, 3))
FORMS = [(1, 0), (2, 0), (16, 0), (8, 2), (16, 2), (1, 3), (8, 3), (8, 4), (8, 6), (16, 6)]


def peak(work: Callable[..., object], *arguments: bytes) -> int:
    tracemalloc.start()
    try:
        work(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def read_all_bands(data: bytes) -> None:
    for band in engine().read_bands(data, Limits()):
        assert band.width == WIDTH


def pairs() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for shape in COMPARED:
        noise = np.random.default_rng(1).integers(0, 255, shape, dtype=np.uint8)
        black, white = np.zeros(shape, np.uint8), np.full(shape, 255, np.uint8)
        yield "noise", black, noise
        yield "all different", black, white
        yield "all slight", white, white - 8
        yield "wide and tall", black[:20], white[:, :20]


def test_every_form_of_png_is_read_within_the_estimate(case: Case) -> None:
    for depth, color in FORMS:
        for interlaced in (False, True):
            with case(f"{depth} bits, color type {color}, interlaced: {interlaced}"):
                data = blank_png(WIDTH, HEIGHT, depth, color, interlaced=interlaced)
                assert peak(hash_pixels, data) <= hashing_memory(probe(data))
                assert peak(decode, data) <= rendering_memory((WIDTH, HEIGHT))
                if depth == SAMPLE_BITS and not interlaced:
                    assert peak(read_all_bands, data) <= rendering_memory((WIDTH, HEIGHT))


def test_comparisons_stay_within_the_estimate(case: Case) -> None:
    for name, before, after in pairs():
        with case(f"{name} {before.shape}"):
            first, second = encode_rgb(before), encode_rgb(after)
            sizes = [(image.shape[1], image.shape[0]) for image in (before, after)]
            assert peak(compare_and_render, first, second) <= comparison_memory(*sizes)
            assert peak(has_same_content, first, second) <= content_memory(*sizes)


def test_every_engine_compares_every_form_within_the_estimate(case: Case) -> None:
    sizes = [(WIDTH // 2, HEIGHT), (WIDTH // 2, HEIGHT - 1)]
    for each in (numpy_engine(), engine()):
        for depth, color in FORMS:
            with case(f"{each.name}: {depth} bits, color type {color}"):
                files = [blank_png(*size, depth, color, interlaced=True) for size in sizes]
                found = peak(partial(mark_and_draw, each), *files)
                assert found <= comparison_memory(sizes[0], sizes[1])


def test_alignments_stay_within_the_estimate(case: Case) -> None:
    for name, before, after in pairs():
        with case(f"{name} {before.shape}"):
            sizes = [(image.shape[1], image.shape[0]) for image in (before, after)]
            found = peak(partial(mark_and_draw, engine()), encode_rgb(before), encode_rgb(after))
            assert found <= comparison_memory(*sizes)


def mark_and_draw(used: Engine, before: bytes, after: bytes) -> None:
    pair = used.mark(before, after, Options(), Limits()).pair
    pair.draw()
    pair.align()
