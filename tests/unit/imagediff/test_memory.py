"""What reading and comparing images takes is never more than the estimate from the header."""

import tracemalloc
from collections.abc import Callable

import numpy as np

from tests.support.case import Case
from tests.support.imagediff.blank_png import blank_png, encode_rgb
from visual_review.imagediff import compare_and_render, decode, hash_pixels, probe
from visual_review.imagediff.content import has_same_content
from visual_review.imagediff.memory import (
    comparison_memory,
    content_memory,
    hashing_memory,
    rendering_memory,
)

# Large enough for several bands, and for the estimate not to be dominated by constants.
WIDTH, HEIGHT = 2048, 1536
COMPARED = (512, 768, 3)
FORMS = [(1, 0), (2, 0), (16, 0), (8, 2), (16, 2), (1, 3), (8, 3), (8, 4), (8, 6), (16, 6)]


def peak(work: Callable[..., object], *arguments: bytes) -> int:
    tracemalloc.start()
    try:
        work(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_every_form_of_png_is_read_within_the_estimate(case: Case) -> None:
    for depth, color in FORMS:
        for interlaced in (False, True):
            with case(f"{depth} bits, color type {color}, interlaced: {interlaced}"):
                data = blank_png(WIDTH, HEIGHT, depth, color, interlaced=interlaced)
                assert peak(hash_pixels, data) <= hashing_memory(probe(data))
                assert peak(decode, data) <= rendering_memory((WIDTH, HEIGHT))


def test_comparisons_stay_within_the_estimate(case: Case) -> None:
    noise = np.random.default_rng(1).integers(0, 255, COMPARED, dtype=np.uint8)
    black, white = np.zeros(COMPARED, np.uint8), np.full(COMPARED, 255, np.uint8)
    for name, before, after in (
        ("noise", black, noise),
        ("all different", black, white),
        ("wide and tall", black[:200], white[:, :200]),
    ):
        with case(name):
            first, second = encode_rgb(before), encode_rgb(after)
            sizes = [(image.shape[1], image.shape[0]) for image in (before, after)]
            assert peak(compare_and_render, first, second) <= comparison_memory(*sizes)
            assert peak(has_same_content, first, second) <= content_memory(*sizes)
