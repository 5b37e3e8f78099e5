"""Masks of random pairs: both engines, the rule in plain Python, and pixelmatch itself."""

import json
import random
import zlib
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.depth import rounds, seed
from tests.support.imagediff.engines import available_engines, require_native_engine
from tests.support.imagediff.fuzz.damaged_input import FuzzCase
from tests.support.imagediff.fuzz.verdicts import check_case
from tests.support.imagediff.images import decode, pairs
from tests.support.imagediff.pixelmatch import (
    DIFFERENT,
    SETTINGS,
    answer_by,
    as_rows,
    ask_pixelmatch,
    mark_differences,
)
from tests.support.imagediff.png_writer import chunk, header, raw_png
from tests.support.imagediff.random_pairs import RandomPair, make_pair
from visual_review.imagediff import DEFAULT_LIMITS, Options, Region
from visual_review.imagediff.rectangles import find_rectangle

MADE = json.loads((Path(__file__).parent / "oracle" / "made.json").read_text())
FRACTIONS = st.tuples(*[st.floats(0, 1)] * 4)


@st.composite
def random_pairs(draw: st.DrawFn, side: int = 14) -> RandomPair:
    return make_pair(random.Random(draw(st.integers(0, 10**9))), side)


def test_the_native_engine_is_one_of_them() -> None:
    require_native_engine()


@given(
    random_pairs(),
    st.sampled_from((0.0, 0.02, 0.1, 0.5, 1.0)) | st.floats(0, 1),
    st.booleans(),
)
@settings(max_examples=rounds(40, 1500))
def test_both_engines_mark_what_the_rule_says(
    pair: RandomPair,
    threshold: float,
    include: bool,  # noqa: FBT001 - Drawn by hypothesis.
) -> None:
    before, after = (as_rows(decode(data)) for data in (pair.before, pair.after))
    expected = mark_differences(before, after, threshold, include_anti_aliased=include)
    for engine in available_engines():
        options = Options(threshold, include)
        marks = engine.mark(pair.before, pair.after, options, DEFAULT_LIMITS)
        assert bytes(marks.mask) == expected, engine.name


@given(random_pairs(side=40), random_pairs(side=40), st.lists(FRACTIONS, max_size=3), st.booleans())
@settings(max_examples=rounds(25, 800))
def test_both_engines_agree_on_regions_and_different_sizes(
    pair: RandomPair,
    other: RandomPair,
    regions: list[tuple[float, float, float, float]],
    same_size: bool,  # noqa: FBT001 - Drawn by hypothesis.
) -> None:
    require_native_engine()
    options = Options(regions=tuple(Region(*region) for region in regions))
    after = pair.after if same_size else other.after
    assert check_case(FuzzCase("pair", pair.before, after, options))


@given(random_pairs(), st.lists(FRACTIONS, min_size=1, max_size=3))
@settings(max_examples=rounds(15, 300))
def test_both_engines_count_the_pixels_of_the_mask_outside_regions(
    pair: RandomPair, regions: list[tuple[float, float, float, float]]
) -> None:
    options = Options(0, regions=tuple(Region(*region) for region in regions))
    for engine in available_engines():
        marks = engine.mark(pair.before, pair.after, options, DEFAULT_LIMITS)
        mask = np.frombuffer(marks.mask, np.uint8).reshape(marks.height, marks.width)
        inside = np.zeros(mask.shape, bool)
        for region in options.regions:
            left, top, right, bottom = find_rectangle(region, (marks.width, marks.height))
            inside[top:bottom, left:right] = True
        different = mask == DIFFERENT
        assert marks.counts.different == (different & ~inside).sum(), engine.name
        assert marks.counts.ignored == (different & inside).sum(), engine.name
        assert marks.counts.compared == (~inside).sum(), engine.name


# Header, palette, two first rows with the same pixel, and the second row's additions to either.
TWO_COLORS = chunk(b"PLTE", bytes(6) + b"\xff" * 6)
SAME_PIXELS = {
    "16 bits": (header(1, 2, 16, 0), b"", (b"\0\0\0", b"\0\0\x7f"), b"\2\0\x80"),
    "bits after the last pixel": (header(1, 2, 1, 0), b"", (b"\0\x7f", b"\0\0"), b"\2\1"),
    "a color twice": (header(1, 2, 2, 3), TWO_COLORS, (b"\0\0", b"\0\x40"), b"\2\x40"),
}


def test_filters_look_at_the_bytes_of_rows_with_the_same_pixels(case: Case) -> None:
    for name, (head, palette, rows, below) in SAME_PIXELS.items():
        files = [raw_png(head, zlib.compress(row + below), palette) for row in rows]
        with case(name):
            for engine in available_engines():
                marks = engine.mark(files[0], files[1], Options(0), DEFAULT_LIMITS)
                assert bytes(marks.mask) == b"\0\1", engine.name


def test_pixelmatch_marks_random_pairs_of_every_form_the_same(tmp_path: Path) -> None:
    rng = random.Random(seed())
    made = [make_pair(rng, rounds(20, 48)) for _ in range(rounds(40, 3000))]
    files = []
    for number, pair in enumerate(made):
        paths = (tmp_path / f"{number}-before.png", tmp_path / f"{number}-after.png")
        for path, data in zip(paths, (pair.before, pair.after), strict=True):
            path.write_bytes(data)
        files.append(paths)
    options = [*SETTINGS, Options(rng.random()), Options(rng.random() / 5)]
    for number, (pair, answers) in enumerate(
        zip(made, ask_pixelmatch(files, options), strict=True)
    ):
        for engine in available_engines():
            found = answer_by(engine, pair.before, pair.after, options)
            assert found == answers, f"pair {number}, seed {seed()}, {pair.kind}, {pair.form}"


def test_the_rule_in_plain_python_gives_the_counts_of_pixelmatch() -> None:
    for name in (name for name in MADE if "97" not in name and "disc" not in name):
        before, after = (as_rows(image) for image in pairs()[name])
        for options, (count, _) in zip(SETTINGS, MADE[name], strict=True):
            include = options.include_anti_aliased
            mask = mark_differences(before, after, options.threshold, include_anti_aliased=include)
            assert mask.count(DIFFERENT) == count, (name, options)
