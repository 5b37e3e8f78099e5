"""Images of realistic sizes for a world; its own of one color have four pixels a side."""

import io

import numpy as np
from PIL import Image as PILImage
from PIL import ImageDraw


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
