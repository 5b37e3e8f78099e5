"""Pages in which rows, columns and blocks are inserted, removed and moved."""

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Pixels = npt.NDArray[np.uint8]

PAPER = (255, 255, 255, 255)
BAR = (238, 240, 245, 255)
INKS = ((20, 20, 20, 255), (40, 80, 200, 255), (90, 90, 90, 255))
LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFGH 0123456789"


@dataclass(frozen=True)
class MovedPage:
    """A page before and after content moved.

    ``sources`` has for each pixel of ``after`` where ``before`` shows it (y, x), or -1 for what is
    new.
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
        draw.rectangle((0, 0, bar - 1, height), fill=BAR)
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
    after[len(page) :, :left] = BAR
    after[at : at + count, left:] = draw_page(rng, width, count + 80)[40 : 40 + count, left:]
    return MovedPage("inserted rows", page, after, sources)


def invert(moved: MovedPage) -> MovedPage:
    """Return what removes what was inserted."""
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
    """Move something in a page, with a sidebar of that width that stays."""
    kind = rng.randrange(5)
    if kind == 0:
        return move_block(rng, page)
    if kind == 1:
        return transpose(insert_rows(rng, np.ascontiguousarray(page.swapaxes(0, 1))))
    if kind == 2:
        return invert(transpose(insert_rows(rng, np.ascontiguousarray(page.swapaxes(0, 1)))))
    moved = insert_rows(rng, page, bar)
    return moved if kind == 3 else invert(moved)
