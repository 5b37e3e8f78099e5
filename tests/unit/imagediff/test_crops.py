"""Pixels of compared images, read in any order."""

import random

import numpy as np

from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.images import decode
from tests.support.imagediff.random_pairs import make_pair
from visual_review.imagediff import DEFAULT_LIMITS, DEFAULT_OPTIONS, Box

PAIRS = 40


def test_crops_of_compared_images_have_their_pixels() -> None:
    rng = random.Random(5)
    for number in range(PAIRS):
        pair = make_pair(rng, 40)
        for engine in available_engines():
            marks = engine.mark(pair.before, pair.after, DEFAULT_OPTIONS, DEFAULT_LIMITS)
            for side, file in (("before", pair.before), ("after", pair.after)):
                pixels = decode(file)
                height, width = pixels.shape[:2]
                x, y = rng.randrange(width), rng.randrange(height)
                box = Box(x, y, rng.randint(1, width - x), rng.randint(1, height - y))
                found = np.frombuffer(marks.pair.crop(side, box), np.uint8)
                wanted = pixels[y : y + box.height, x : x + box.width].reshape(-1)
                assert np.array_equal(found, wanted), f"{number}: {engine.name}, {side}, {box}"
