"""Pages of a component library, and their usual changes."""

import io
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from PIL import Image, ImageChops, ImageDraw

from visual_review.builds.variants import Variant
from visual_review.variants import DEVICES, THEMES

# Every possible variant of a build, with the size of the screenshots.
SIZES: Final = {
    Variant(theme, device): size for theme in THEMES for device, size in DEVICES.items()
}
LINE, PARAGRAPH = 24, 8
# A story's number and its variant.
PageKey = tuple[int, Variant]


def draw_page(number: int, variant: Variant) -> Image.Image:
    """Return the page of text and cards of a number, unlike every other page."""
    paper, ink = ("white", "#222") if variant.theme == "light" else ("#181818", "#ddd")
    page = Image.new("RGB", SIZES[variant], paper)
    brush = ImageDraw.Draw(page)
    width, height = page.size
    for line, top in enumerate(range(LINE, height - LINE, LINE)):
        if line % PARAGRAPH == 0:
            color = f"hsl({(37 * number + 60 * line) % 360}, 60%, 50%)"
            brush.rectangle((16, top, width // 3, top + 2 * LINE), color)
        text = f"Story {number}, line {line}: the quick brown fox jumps over the lazy dog. "
        brush.text((width // 3 + 16, top), text * 2, ink)
    return page


def _change_text(page: Image.Image) -> Image.Image:
    brush = ImageDraw.Draw(page)
    brush.rectangle((16, 4 * LINE, 200, 5 * LINE), "white")
    brush.text((20, 4 * LINE + 4), "Another label", "black")
    return page


def _change_box(page: Image.Image) -> Image.Image:
    # A fifth of the width and a quarter of the height: 5 % of the page.
    width, height = page.size
    page.paste((40, 120, 200), (width // 2, height // 2, width * 7 // 10, height * 3 // 4))
    return page


def _change_dot(page: Image.Image) -> Image.Image:
    ImageDraw.Draw(page).ellipse((page.width - 40, 10, page.width - 10, 40), "red")
    return page


def _shift(page: Image.Image) -> Image.Image:
    return ImageChops.offset(page, 0, 7)


def _grow(page: Image.Image) -> Image.Image:
    taller = Image.new("RGB", (page.width, page.height + LINE), "white")
    taller.paste(page, (0, LINE))
    return taller


def _change_theme(page: Image.Image) -> Image.Image:
    return ImageChops.invert(page)


CHANGES: Final[dict[str, Callable[[Image.Image], Image.Image]]] = {
    "text": _change_text,
    "5 % box": _change_box,
    "dot": _change_dot,
    "shifted": _shift,
    "taller": _grow,
    "theme": _change_theme,
}


def change_page(page: Image.Image, number: int) -> Image.Image:
    """Return the page after a change; the kinds take turns."""
    return list(CHANGES.values())[number % len(CHANGES)](page)


def variants_of(stories: Iterable[int]) -> list[PageKey]:
    return [(story, variant) for story in stories for variant in SIZES]


def encode_pages(stories: Iterable[int], *, changed: bool) -> dict[PageKey, bytes]:
    """Return the PNGs of the stories in every variant, drawn in processes."""
    encode_one = _encode_changed_page if changed else _encode_page
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        pages = variants_of(stories)
        return dict(zip(pages, pool.map(encode_one, pages, chunksize=20), strict=True))


def _encode_page(key: PageKey) -> bytes:
    return _encode(draw_page(*key))


def _encode_changed_page(key: PageKey) -> bytes:
    return _encode(change_page(draw_page(*key), key[0]))


def _encode(page: Image.Image) -> bytes:
    file = io.BytesIO()
    # Browsers choose speed over size as well.
    page.save(file, "PNG", compress_level=1)
    return file.getvalue()
