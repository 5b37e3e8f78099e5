"""Contents that are alike are found without comparing each with all others."""

from itertools import product

from tests.support.case import Case
from visual_review.imagediff.changes.alikeness import (
    Piece,
    encode_content,
    extents_near,
    have_same_content,
)
from visual_review.imagediff.changes.sketches import draw_sketch

SIDE = 20
BLACK, WHITE = b"\x00\x00\x00\xff", b"\xff\xff\xff\xff"


def piece(width: int, height: int) -> Piece:
    """Return a piece of about ``SIDE`` pixels that was a square and vanished."""
    rows = [
        BLACK if 5 <= x < 15 and 5 <= y < 15 else WHITE
        for y, x in product(range(SIDE), range(SIDE))
    ]
    before = draw_sketch(b"".join(rows), SIDE, SIDE)
    return Piece(width, height, before, draw_sketch(WHITE * SIDE * SIDE, SIDE, SIDE))


def test_contents_that_are_alike_are_near(case: Case) -> None:
    alike = 0
    for width, height in product(range(SIDE - 6, SIDE + 7), repeat=2):
        one = encode_content("one", [piece(SIDE, SIDE), piece(9, 30)])
        two = encode_content("two", [piece(width, height), piece(9, 31)])
        with case((width, height)):
            if have_same_content(one, two):
                alike += 1
                assert extents_near(one)[0] in extents_near(two)
                assert extents_near(two)[0] in extents_near(one)
    assert alike == 25


def test_contents_without_sketches_are_near_by_digest_alone() -> None:
    assert extents_near("digest") == ["digest"]
    assert not have_same_content("digest", "other")
