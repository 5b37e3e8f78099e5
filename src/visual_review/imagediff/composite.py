"""Draws the composite picture of a comparison: its panels beside each other, with labels."""

from collections.abc import Callable, Sequence
from typing import Final

from PIL import Image, ImageDraw

from visual_review.imagediff.arrangement import PADDING, Place
from visual_review.imagediff.composite_plan import Panel, Plan
from visual_review.imagediff.encoding import RenderedImage, encode
from visual_review.imagediff.labels import Color, draw_line
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.windows import Window, read_window

# Part of every kept composite's name: change it whenever one may look different.
COMPOSITE_VERSION: Final = "1"

GROUND: Final[Color] = (238, 240, 243)
EDGE: Final[Color] = (135, 144, 157)
NOTHING: Final[Color] = (214, 218, 224)
STROKE: Final[Color] = (190, 196, 205)
STROKE_STEP: Final = 16
TEXT: Final[Color] = (26, 31, 39)
SECOND: Final[Color] = (70, 79, 91)
TITLE_SIZE: Final = 20
TITLE_LINE: Final = 30
TEXT_SIZE: Final = 16
TEXT_LINE: Final = 24


def draw_composite(
    plan: Plan,
    heading: tuple[str, str],
    pictures: Sequence[Callable[[], bytes]],
    limits: Limits = DEFAULT_LIMITS,
) -> RenderedImage:
    """Draw the plan below a title and a line of facts.

    ``pictures`` give the PNG file of each panel, and are asked one after the other: one file at
    a time is in memory. Raises ImageError for one that cannot be read.
    """
    arrangement = plan.arrangement
    canvas = Image.new("RGB", (arrangement.width, arrangement.height), GROUND)
    _write_heading(canvas, plan, heading)
    for number, (panel, picture) in enumerate(zip(plan.panels, pictures, strict=True)):
        data = picture()
        for crop, row in zip(plan.crops, arrangement.places, strict=True):
            place = row[number]
            draw_line(canvas, place.label, plan.label(panel, crop), TEXT_SIZE, TEXT)
            _draw_ground(canvas, place)
            window = _window(crop, place.picture, panel)
            if window is not None:
                part = read_window(data, window, limits)
                canvas.paste(part, (place.picture.x, place.picture.y))
    return encode(canvas)


def _write_heading(canvas: Image.Image, plan: Plan, heading: tuple[str, str]) -> None:
    width = canvas.width - 2 * PADDING
    title, facts = heading
    draw_line(canvas, Box(PADDING, PADDING, width, TITLE_LINE), title, TITLE_SIZE, TEXT)
    top = PADDING + TITLE_LINE
    for line in (facts, plan.place()):
        draw_line(canvas, Box(PADDING, top, width, TEXT_LINE), line, TEXT_SIZE, SECOND)
        top += TEXT_LINE


def _draw_ground(canvas: Image.Image, place: Place) -> None:
    """An edge around the panel, and strokes where the picture has nothing."""
    spot = place.picture
    ground = Image.new("RGB", (spot.width, spot.height), NOTHING)
    brush = ImageDraw.Draw(ground)
    for start in range(-spot.height, spot.width, STROKE_STEP):
        brush.line((start, spot.height, start + spot.height, 0), STROKE)
    canvas.paste(ground, (spot.x, spot.y))
    edges = (spot.x - 1, spot.y - 1, spot.x + spot.width, spot.y + spot.height)
    ImageDraw.Draw(canvas).rectangle(edges, outline=EDGE)


def _window(crop: Box, spot: Box, panel: Panel) -> Window | None:
    """The part of the crop that the picture covers; None where it has nothing there."""
    width = min(crop.width, panel.width - crop.x)
    height = min(crop.height, panel.height - crop.y)
    if width <= 0 or height <= 0:
        return None
    across, down = width * spot.width // crop.width, height * spot.height // crop.height
    part = Box(crop.x, crop.y, width, height)
    return Window(part, max(1, across), max(1, down), marks=panel.marks)
