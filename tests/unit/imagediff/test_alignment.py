"""Content that moved between two images, and changes that must not hide there."""

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from tests.support.case import Case
from tests.support.depth import rounds, some_of
from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.images import decode
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.random_pairs import make_pair
from tests.support.imagediff.shared_data import real_change
from visual_review.imagediff import DEFAULT_LIMITS, Box, Options, Region
from visual_review.imagediff.engine import engine
from visual_review.imagediff.port import Alignment, Engine, Marks, Move
from visual_review.imagediff.reference.masks import ANTI_ALIASED

Pixels = npt.NDArray[np.uint8]

PAPER = (255, 255, 255, 255)
BAR_COLOR = (238, 240, 245, 255)
INKS = ((20, 20, 20, 255), (40, 80, 200, 255), (90, 90, 90, 255))
LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFGH 0123456789"


@dataclass(frozen=True)
class MovedPage:
    """A page before and after content moved.

    ``sources`` has for each pixel of ``after`` its place (y, x) in ``before``, or -1 for a new
    pixel.
    """

    kind: str
    before: Pixels
    after: Pixels
    sources: npt.NDArray[np.int64]


def draw_page(rng: random.Random, width: int, height: int, bar: int = 0) -> Pixels:
    """Return a page of headings, lines of text and cards; ``bar`` is the width of a sidebar."""
    image = Image.new("RGBA", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    y = rng.randint(4, 20)
    while y < height - 10:
        size = rng.choice((10, 11, 12, 18))
        if rng.random() < 0.2:
            edge = bar + rng.randint(8, 20)
            box = (edge, y, edge + rng.randint(40, 120), y + rng.randint(20, 40))
            draw.rectangle(box, fill=(*rng.randbytes(3), 255), outline=rng.choice(INKS))
            y += 44
            continue
        text = "".join(rng.choices(LETTERS, k=rng.randint(6, width // 8)))
        draw.text((bar + 12, y), text, rng.choice(INKS), ImageFont.load_default(size))
        y += size + rng.randint(4, 24)
    if bar:
        draw.rectangle((0, 0, bar - 1, height), fill=BAR_COLOR)
        for top in range(rng.randint(4, 12), height - 10, rng.randint(17, 23)):
            text = "".join(rng.choices(LETTERS, k=max(2, bar // 10)))
            draw.text((6, top), text, INKS[0], ImageFont.load_default(10))
    return np.asarray(image).copy()


def number_pixels(page: Pixels) -> npt.NDArray[np.int64]:
    """Return the position (y, x) of each pixel."""
    return np.moveaxis(np.indices(page.shape[:2]), 0, -1)


def insert_rows(rng: random.Random, page: Pixels, left: int = 0) -> MovedPage:
    """Insert rows right of a column; the page grows."""
    at, count = rng.randint(8, len(page) - 8), rng.randint(3, 60)
    width = page.shape[1]
    after = np.zeros((len(page) + count, width, 4), np.uint8)
    after[:] = PAPER
    sources = np.full((*after.shape[:2], 2), -1, np.int64)
    numbers = number_pixels(page)
    for target, source in ((after, page), (sources, numbers)):
        target[: len(page), :left] = source[:, :left]
        target[:at, left:] = source[:at, left:]
        target[at + count :, left:] = source[at:, left:]
    after[len(page) :, :left] = BAR_COLOR
    after[at : at + count, left:] = draw_page(rng, width, count + 80)[40 : 40 + count, left:]
    return MovedPage("inserted rows", page, after, sources)


def invert(moved: MovedPage) -> MovedPage:
    """Return the opposite change: inserted content is removed."""
    sources = np.full((*moved.before.shape[:2], 2), -1, np.int64)
    ys, xs = (moved.sources[:, :, 0] >= 0).nonzero()
    old_ys, old_xs = moved.sources[ys, xs].T
    sources[old_ys, old_xs] = np.stack([ys, xs], axis=1)
    return MovedPage(moved.kind.replace("inserted", "removed"), moved.after, moved.before, sources)


def transpose(moved: MovedPage) -> MovedPage:
    """Return the same with columns in place of rows."""
    before, after = (
        np.ascontiguousarray(each.swapaxes(0, 1)) for each in (moved.before, moved.after)
    )
    sources = moved.sources.swapaxes(0, 1)[:, :, ::-1]
    return MovedPage(moved.kind.replace("rows", "columns"), before, after, sources)


def move_block(rng: random.Random, page: Pixels) -> MovedPage:
    """Move a card over paper to another place."""
    card_height, card_width = rng.randint(30, 60), rng.randint(50, 90)
    card = draw_page(rng, card_width, card_height)
    card[:1] = card[-1:] = card[:, :1] = card[:, -1:] = INKS[2]
    before, after = page.copy(), page.copy()
    numbers = number_pixels(page)
    sources = numbers.copy()
    room = page.shape[1] - card_width - 4
    top = len(page) // 2
    before[top:] = after[top:] = PAPER
    places = [(rng.randint(top, len(page) - card_height), rng.randint(2, room)) for _ in range(2)]
    (old_y, old_x), (y, x) = places
    before[old_y : old_y + card_height, old_x : old_x + card_width] = card
    after[y : y + card_height, x : x + card_width] = card
    sources[y : y + card_height, x : x + card_width] = numbers[
        old_y : old_y + card_height, old_x : old_x + card_width
    ]
    return MovedPage("moved block", before, after, sources)


def make_moved_page(rng: random.Random, page: Pixels, bar: int = 0) -> MovedPage:
    """Move something in a page, with a fixed sidebar of width ``bar``."""
    kind = rng.randrange(5)
    if kind == 0:
        return move_block(rng, page)
    if kind == 1:
        return transpose(insert_rows(rng, np.ascontiguousarray(page.swapaxes(0, 1))))
    if kind == 2:
        return invert(transpose(insert_rows(rng, np.ascontiguousarray(page.swapaxes(0, 1)))))
    moved = insert_rows(rng, page, bar)
    return moved if kind == 3 else invert(moved)


COLORS = ((0, 0, 0, 255), (255, 255, 255, 255), (255, 0, 0, 255), (0, 128, 0, 255))
BAR = 70


def mark(before: Pixels, after: Pixels, options: Options | None = None) -> Marks:
    return engine().mark(png(before), png(after), options or Options(), DEFAULT_LIMITS)


def align(before: Pixels, after: Pixels, options: Options | None = None) -> Alignment:
    return mark(before, after, options).pair.align()


def as_array(marks: Marks, alignment: Alignment) -> Pixels:
    return np.frombuffer(bytes(alignment.mask), np.uint8).reshape(marks.height, marks.width)


def page_of_text(bar: int = 0) -> Pixels:
    return draw_page(random.Random(5), 360, 300, bar)


def insert_noise(page: Pixels, at: int, count: int, left: int = 0) -> Pixels:
    """Insert rows right of a column; the content pushed out at the bottom leaves the page."""
    after = page.copy()
    after[at + count :, left:] = page[at:-count, left:]
    noise = np.random.default_rng(1).integers(0, 256, (count, page.shape[1] - left, 3))
    after[at : at + count, left:, :3] = noise
    return after


@pytest.mark.usefixtures("each_engine")
def test_content_below_inserted_rows_moved_and_only_they_are_new(case: Case) -> None:
    for left in (0, BAR):
        with case(f"sidebar of {left}"):
            page = page_of_text(left)
            blank = np.concatenate([page[:-60], np.full_like(page[-60:], 255)])
            blank[-60:, :left] = page[-1:, :left]
            after = insert_noise(blank, 80, 40, left)
            marks = mark(blank, after)
            found = marks.pair.align()
            (move,) = found.moves
            assert (move.dx, move.dy) == (0, 40)
            assert move.target.x >= left
            inserted = as_array(marks, found)[80:120, left:]
            assert inserted.size >= found.pixels == np.count_nonzero(inserted)
            assert found.pixels > 0.9 * inserted.size
            assert found.pixels < marks.counts.different


@pytest.mark.usefixtures("each_engine")
def test_a_moved_block_leaves_nothing_that_differs() -> None:
    moved = move_block(random.Random(3), page_of_text())
    found = align(moved.before, moved.after)
    assert found.moves
    assert (found.pixels, found.boxes) == (0, ())


@pytest.mark.usefixtures("each_engine")
def test_equal_pages_have_no_moves() -> None:
    page = page_of_text()
    after = page.copy()
    after[:, :, 3] = 254
    for other in (page, after):
        found = align(page, other, Options(threshold=0.5))
        assert (found.moves, found.pixels, found.boxes) == ((), 0, ())
        assert not any(found.mask)


@pytest.mark.usefixtures("each_engine")
def test_without_a_move_the_mask_is_the_plain_one() -> None:
    page = page_of_text()
    after = page.copy()
    after[40:60, 50:90] = (200, 30, 60, 255)
    marks = mark(page, after)
    found = marks.pair.align()
    assert found.moves == ()
    assert bytes(found.mask) == bytes(1 if each == 1 else 0 for each in bytes(marks.mask))
    assert (found.pixels, found.boxes) == (marks.counts.different, marks.boxes)


@pytest.mark.usefixtures("each_engine")
def test_a_copy_is_new_because_its_source_stayed() -> None:
    page = page_of_text()
    page[150:] = 255
    after = page.copy()
    after[200:280] = page[20:100]
    found = align(page, after)
    assert found.moves == ()
    assert found.pixels == mark(page, after).counts.different


@pytest.mark.usefixtures("each_engine")
def test_a_colored_block_that_leaves_with_its_rows_is_lost() -> None:
    page = page_of_text()
    page[80:120] = (30, 90, 40, 255)
    after = np.concatenate([page[:80], page[120:]])
    marks = mark(page, after)
    found = marks.pair.align()
    assert [(move.dx, move.dy) for move in found.moves] == [(0, -40)]
    assert (as_array(marks, found)[80:120] == 2).sum() > 0.9 * 40 * page.shape[1]


@pytest.mark.usefixtures("each_engine")
def test_a_strip_never_shares_a_box_with_what_both_images_have() -> None:
    page = page_of_text()
    after = np.concatenate([page, np.full((9, page.shape[1], 4), 40, np.uint8)])
    after[290:300, 100:140] = (200, 30, 60, 255)
    found = align(page, after)
    assert found.boxes == (Box(100, 290, 40, 10), Box(0, 300, page.shape[1], 9))


@pytest.mark.usefixtures("each_engine")
def test_dynamic_regions_are_left_out() -> None:
    page = page_of_text()
    after = insert_noise(page, 80, 40)
    everything = Options(regions=(Region(0, 0, 1, 1),))
    found = align(page, after, everything)
    assert (found.pixels, found.boxes) == (0, ())
    upper = align(page, after, Options(regions=(Region(0, 0, 1, 0.5),)))
    assert upper.pixels < align(page, after).pixels
    assert all(box.y >= 150 for box in upper.boxes)


@pytest.mark.usefixtures("each_engine")
def test_text_that_was_broken_anew_is_hardly_a_move() -> None:
    words = [draw_page(random.Random(number), 130, 60)[:26, 12:] for number in range(12)]
    words = [word[:, : 50 + number * 17 % 40] for number, word in enumerate(words)]
    found = align(set_lines(words), set_lines([words[-1][:, :37], *words[:-1]]))
    # A word is a move of its own if it touches no other moved word.
    assert len(found.moves) <= 1


def set_lines(words: list[Pixels]) -> Pixels:
    page = np.full((200, 330, 4), 255, np.uint8)
    x, y = 10, 8
    for word in words:
        if x + word.shape[1] > page.shape[1]:
            x, y = 10, y + 30
        page[y : y + 26, x : x + word.shape[1]] = word
        x += word.shape[1] + 8
    return page


def hide_nothing(engine: Engine, moved: MovedPage, rng: random.Random) -> None:
    """Change an old pixel of the later page, and assert that the alignment marks the change."""
    old = np.argwhere(moved.sources[:, :, 0] >= 0)
    y, x = old[rng.randrange(len(old))]
    known = [moved.after[y, x].astype(int)]
    if y < len(moved.before) and x < moved.before.shape[1]:
        known.append(moved.before[y, x].astype(int))
    colors = [each for each in COLORS if all(abs(each - old).sum() > 150 for old in known)]
    after = moved.after.copy()
    after[y, x] = rng.choice(colors)
    unmoved = engine.mark(png(moved.after), png(after), Options(), DEFAULT_LIMITS)
    if not unmoved.counts.different:
        # The pixel is anti-aliased, so no comparison counts it.
        return
    marks = engine.mark(png(moved.before), png(after), Options(), DEFAULT_LIMITS)
    found = marks.pair.align()
    mask = as_array(marks, found)
    plain = np.frombuffer(bytes(marks.mask), np.uint8).reshape(marks.height, marks.width)
    if plain[y, x] == ANTI_ALIASED:
        # The plain comparison takes the pixel for anti-aliased, too, and decides which pixels the
        # alignment has to explain.
        return
    old_y, old_x = moved.sources[y, x]
    assert mask[y, x] or mask[old_y, old_x], (moved.kind, y, x, found.moves)
    assert found.pixels <= marks.counts.different


@given(st.integers(0, 10**9), st.sampled_from((0, BAR)))
@settings(max_examples=rounds(20, 1500), deadline=None)
def test_no_change_hides_in_moved_content(seed: int, bar: int) -> None:
    rng = random.Random(seed)
    page = draw_page(rng, rng.randint(180, 300), rng.randint(160, 300), bar)
    hide_nothing(available_engines()[0], make_moved_page(rng, page, bar), rng)


def test_no_change_hides_in_moved_content_of_real_pages() -> None:
    rng = random.Random(7)
    pairs = real_change("gravity-menu").pairs
    for pair in some_of(list(pairs), rounds(2, len(pairs))):
        page = decode(pair.before)[:500, :700]
        hide_nothing(available_engines()[0], make_moved_page(rng, page), rng)
        moved = insert_rows(rng, page, 120)
        hide_nothing(available_engines()[0], moved, rng)
        hide_nothing(available_engines()[0], invert(moved), rng)


def outcome(engine: Engine, before: bytes, after: bytes, options: Options) -> tuple[object, ...]:
    found = engine.mark(before, after, options, DEFAULT_LIMITS).pair.align()
    return found.moves, bytes(found.mask), found.pixels, found.boxes


@given(st.integers(0, 10**9), st.booleans())
@settings(max_examples=rounds(6, 400), deadline=None)
def test_both_engines_align_the_same(
    seed: int,
    ignoring: bool,  # noqa: FBT001 - Drawn by hypothesis.
) -> None:
    rng = random.Random(seed)
    options = Options(rng.choice((0.0, 0.1)), regions=(Region(0.1, 0.2, 0.3, 0.3),) * ignoring)
    moved = make_moved_page(rng, draw_page(rng, 200, 180, BAR), BAR)
    pair, other = make_pair(rng, 40), make_pair(rng, 40)
    for before, after in (
        (png(moved.before), png(moved.after)),
        (pair.before, pair.after),
        (pair.before, other.after),
    ):
        results = [outcome(each, before, after, options) for each in available_engines()]
        assert all(each == results[0] for each in results)


def test_a_move_names_its_target_and_how_far_it_moved() -> None:
    move = Move(Box(0, 219, 400, 80), 0, 40)
    assert (move.target.y - move.dy, move.target.x - move.dx) == (179, 0)
