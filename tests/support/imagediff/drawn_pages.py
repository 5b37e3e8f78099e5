"""Small pages drawn for tests, as PNG files."""

import io
from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFont

Draw = Callable[[ImageDraw.ImageDraw], None]
WHITE, BLACK, GRAY, BLUE, ORANGE = "#ffffff", "#222222", "#d0d0d0", "#5282ff", "#ff8252"


def page(*parts: Draw, size: tuple[int, int] = (240, 160), paper: str = WHITE) -> bytes:
    """Return a PNG with all parts on paper."""
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    for part in parts:
        part(draw)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def rectangle(x: int, y: int, width: int, height: int, color: str = GRAY) -> Draw:
    return lambda draw: draw.rectangle((x, y, x + width - 1, y + height - 1), color)


def card(x: int, y: int, width: int, height: int, color: str = GRAY) -> Draw:
    """A box with a border and something in it."""

    def paint(draw: ImageDraw.ImageDraw) -> None:
        draw.rectangle((x, y, x + width - 1, y + height - 1), color, BLACK)
        draw.rectangle((x + 8, y + 8, x + width // 2, y + 20), ORANGE)

    return paint


def text(x: int, y: int, words: str, color: str = BLACK, size: float = 14) -> Draw:
    return lambda draw: draw.text((x, y), words, color, ImageFont.load_default(size))


def dots(*places: tuple[int, int], color: str = BLACK) -> Draw:
    return lambda draw: draw.point(list(places), color)
