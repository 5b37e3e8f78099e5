"""Every possible form of a PNG, and random images in each."""

import random

from tests.support.imagediff.png_writer import SAMPLES, Form, Samples

FORMS = [
    (color, depth)
    for color, depths in {
        0: (1, 2, 4, 8, 16),
        2: (8, 16),
        3: (1, 2, 4, 8),
        4: (8, 16),
        6: (8, 16),
    }.items()
    for depth in depths
]


def form_of(color: int, depth: int, seed: int, *, interlaced: bool = False) -> Form:
    """Return a form with random filters, and a random palette where needed."""
    form = Form(depth, color, interlaced, filters=seed)
    if color == 3:
        form.palette = random.Random(seed).randbytes(3 * 2**depth)
    return form


def random_samples(seed: int, width: int, height: int, form: Form) -> Samples:
    rng = random.Random(seed)
    top = 2**form.depth
    return [
        [tuple(rng.randrange(top) for _ in range(SAMPLES[form.color])) for _ in range(width)]
        for _ in range(height)
    ]
