"""Screenshots unique to each story: captures of the example with another title and accent.

Processes make the screenshots and write them into the service's storage, since a gigabyte would
take long to hand over.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
from isal import isal_zlib
from PIL import Image, ImageDraw, ImageFont

from visual_review.builds.images.blob_keys import image_key_of, image_thumbnail_key_of
from visual_review.imagediff.container import RGB
from visual_review.imagediff.diff_png import write_png
from visual_review.imagediff.model import ImageInfo
from visual_review.imagediff.rendering.thumbnails import render_whole_thumbnail

Side = Literal["before", "after"]
BAR, LEFT, TITLE_SIZE = 56, 16, 22
# The golden ratio spreads the accents: neighbors differ most.
GOLDEN: Final = 0.618034
CACHED_CAPTURES: Final = 12
GROWTH: Final = 24


@dataclass(frozen=True)
class PageRequest:
    """One screenshot to make: story ``number`` in the variant of the capture."""

    number: int
    title: str
    capture: Path
    theme: str
    device: str


@dataclass(frozen=True)
class StoredPage:
    """Facts of an image whose bytes are stored."""

    sha256: str
    width: int
    height: int
    size: int


def make_pair(
    request: PageRequest, folder: Path, organization_id: str
) -> tuple[StoredPage, StoredPage]:
    """Store the screenshot before and after the change, and a thumbnail of the former."""
    before = draw_before(request)
    stored = _store_image(before, folder, organization_id)
    thumbnail = folder / image_thumbnail_key_of(organization_id, stored.sha256)
    data = (folder / image_key_of(organization_id, stored.sha256)).read_bytes()
    _write(thumbnail, render_whole_thumbnail(data, before.size))
    return stored, _store_image(change_page(before, request.number), folder, organization_id)


def draw_before(request: PageRequest) -> Image.Image:
    """Return the capture below a bar with the story's title, in a color of the story's own."""
    page = _read_capture(request.capture).copy()
    brush = ImageDraw.Draw(page)
    hue = int(request.number * GOLDEN * 360) % 360
    lightness = 85 if request.theme == "light" else 25
    brush.rectangle((0, 0, page.width, BAR), f"hsl({hue}, 60%, {lightness}%)")
    ink = "black" if request.theme == "light" else "white"
    brush.text((LEFT, 16), request.title, ink, font=ImageFont.load_default(TITLE_SIZE))
    brush.rectangle((LEFT, BAR + 8, LEFT + 119, BAR + 39), "#3355cc")
    brush.text((LEFT + 12, BAR + 15), "Save changes", "white")
    return page


def _recolor_button(page: Image.Image) -> Image.Image:
    brush = ImageDraw.Draw(page)
    brush.rectangle((LEFT, BAR + 8, LEFT + 119, BAR + 39), "#117744")
    brush.text((LEFT + 12, BAR + 15), "Save changes", "white")
    return page


def _reword_button(page: Image.Image) -> Image.Image:
    brush = ImageDraw.Draw(page)
    brush.rectangle((LEFT, BAR + 8, LEFT + 119, BAR + 39), "#3355cc")
    brush.text((LEFT + 12, BAR + 15), "Store it", "white")
    return page


def _add_badge(page: Image.Image) -> Image.Image:
    middle = page.height // 2
    ImageDraw.Draw(page).ellipse((page.width - 60, middle, page.width - 20, middle + 40), "red")
    return page


def _remove_button(page: Image.Image) -> Image.Image:
    color = page.getpixel((LEFT - 4, BAR + 24))
    ImageDraw.Draw(page).rectangle((LEFT, BAR + 8, LEFT + 119, BAR + 39), color)
    return page


def _grow(page: Image.Image) -> Image.Image:
    taller = Image.new("RGB", (page.width, page.height + GROWTH), page.getpixel((2, BAR + 2)))
    taller.paste(page.crop((0, 0, page.width, BAR)), (0, 0))
    taller.paste(page.crop((0, BAR, page.width, page.height)), (0, BAR + GROWTH))
    return taller


# As in practice one change of a component shows in many stories.
CHANGES: Final[Sequence[Callable[[Image.Image], Image.Image]]] = (
    *(_recolor_button,) * 5,
    *(_reword_button,) * 2,
    _add_badge,
    _remove_button,
    _grow,
)


def change_page(before: Image.Image, number: int) -> Image.Image:
    return CHANGES[number % len(CHANGES)](before.copy())


@lru_cache(CACHED_CAPTURES)
def _read_capture(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return image.convert("RGB")


def encode(page: Image.Image) -> bytes:
    """Return a PNG; only speed matters here."""
    rows = np.zeros((page.height, 1 + 3 * page.width), np.uint8)
    rows[:, 1:] = np.asarray(page).reshape(page.height, -1)
    info = ImageInfo(page.width, page.height, 8, RGB, interlaced=False)
    return write_png(info, isal_zlib.compress(rows.tobytes(), 1))


def _store_image(page: Image.Image, folder: Path, organization_id: str) -> StoredPage:
    data = encode(page)
    sha256 = hashlib.sha256(data).hexdigest()
    _write(folder / image_key_of(organization_id, sha256), data)
    return StoredPage(sha256, page.width, page.height, len(data))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
