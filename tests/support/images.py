"""Images of realistic sizes for a world; the world's own, of one color, have four pixels a side."""

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from PIL import Image as PILImage


def encode_png(image: PILImage.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def page(width: int, height: int, mark: str = "", at: tuple[int, int] = (60, 40)) -> bytes:
    """Return a white page with lines of text and, if ``mark`` is a color, a 40 x 20 button."""
    image = PILImage.new("RGB", (width, height), "white")
    brush = ImageDraw.Draw(image)
    for top in range(8, height - 16, 24):
        brush.text((12, top), f"Line {top} of a page", "black")
    if mark:
        brush.rectangle((*at, at[0] + 39, at[1] + 19), mark)
    return encode_png(image)


def noise(width: int, height: int, seed: int = 1) -> bytes:
    """Return an image that compresses badly."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return encode_png(PILImage.fromarray(pixels))


def draw(
    path: Path,
    *marks: tuple[int, int],
    size: tuple[int, int] = (20, 10),
    lossless: bool = False,
) -> Path:
    """Write a white image with red pixels, in the format of the name; return its path."""
    image = Image.new("RGB", size, "white")
    for mark in marks:
        image.putpixel(mark, (255, 0, 0))
    path.parent.mkdir(parents=True, exist_ok=True)
    if lossless:
        image.save(path, lossless=True)
    else:
        image.save(path)
    return path
