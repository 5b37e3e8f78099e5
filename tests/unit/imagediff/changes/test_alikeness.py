"""Parts that are alike are found without comparing each with all others."""

from itertools import product

from tests.support.case import Case
from visual_review.imagediff.changes.model import Part
from visual_review.imagediff.changes.similarity import are_alike, pack_sketches, sizes_near
from visual_review.imagediff.model import Box
from visual_review.imagediff.reference.pair import draw_sketch

SIDE = 20
BLACK, WHITE = b"\x00\x00\x00\xff", b"\xff\xff\xff\xff"


def part(width: int, height: int) -> Part:
    """Return a part of about ``SIDE`` pixels: a square that vanished."""
    rows = [
        BLACK if 5 <= x < 15 and 5 <= y < 15 else WHITE
        for y, x in product(range(SIDE), range(SIDE))
    ]
    before = draw_sketch(b"".join(rows), SIDE, SIDE)
    after = draw_sketch(WHITE * SIDE * SIDE, SIDE, SIDE)
    box = Box(3, 4, width, height)
    return Part(f"{width} {height}", box, "area vanished", sketch=pack_sketches(before, after))


def test_parts_that_are_alike_are_about_as_large(case: Case) -> None:
    alike, one = 0, part(SIDE, SIDE)
    for width, height in product(range(SIDE - 6, SIDE + 7), repeat=2):
        two = part(width, height)
        with case((width, height)):
            if are_alike(one, two):
                alike += 1
                assert sizes_near(one)[0] in sizes_near(two)
                assert sizes_near(two)[0] in sizes_near(one)
    assert alike == 25


def test_parts_without_sketches_are_alike_with_none() -> None:
    bare = Part("digest", Box(0, 0, SIDE, SIDE), "area vanished")
    assert not are_alike(bare, bare)
    assert not are_alike(bare, part(SIDE, SIDE))
