"""The composite picture of a comparison: its panels beside each other, cropped to the change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from visual_review.imagediff.arrangement import PADDING, Arrangement, Place, arrange
from visual_review.imagediff.crops import focus
from visual_review.imagediff.encoding import Drawn, encode
from visual_review.imagediff.labels import Color, draw_line
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.windows import Window, read_window

# Part of every kept composite's name: change it whenever one may look different.
COMPOSITE_VERSION: Final = "1"

GROUND: Final[Color] = (238, 240, 243)
EDGE: Final[Color] = (135, 144, 157)
NOTHING: Final[Color] = (214, 218, 224)
TEXT: Final[Color] = (26, 31, 39)
SECOND: Final[Color] = (70, 79, 91)
TITLE_SIZE: Final = 20
FACTS_SIZE: Final = 16
LABEL_SIZE: Final = 16
TITLE_LINE: Final = 30
FACTS_LINE: Final = 24


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture of a composite: what stands above it, and its size in pixels."""

    label: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a composite will show, told before any picture is read."""

    panels: tuple[Panel, ...]
    area: Box
    crops: tuple[Box, ...]
    arrangement: Arrangement

    @property
    def place(self) -> str:
        """Which part of the pictures is shown, and how large."""
        crop = self.crops[0]
        whole = f"{self.area.width} x {self.area.height}"
        if crop == self.area:
            part = f"whole picture, {whole}"
        else:
            part = f"{crop.x},{crop.y} {crop.width} x {crop.height} of {whole}"
        scale = self.arrangement.scale
        return part if scale == 1 else f"{part}, shown at {scale:.0%}"


def plan_composite(panels: Sequence[Panel], boxes: Sequence[Box]) -> Plan:
    """Decide on crop and places; ``boxes`` are the changed parts of the pictures' union."""
    width = max(panel.width for panel in panels)
    height = max(panel.height for panel in panels)
    crops = (focus(boxes, width, height),)
    return Plan(tuple(panels), Box(0, 0, width, height), crops, arrange(crops, len(panels)))


def draw_composite(
    plan: Plan,
    heading: tuple[str, str],
    pictures: Sequence[bytes],
    limits: Limits = DEFAULT_LIMITS,
) -> Drawn:
    """Draw the plan: ``heading`` is the title and a line of facts, ``pictures`` are PNG files.

    Raises ImageError for a picture that cannot be read.
    """
    arrangement = plan.arrangement
    canvas = Image.new("RGB", (arrangement.width, arrangement.height), GROUND)
    _write_heading(canvas, plan, heading)
    for crop, places in zip(plan.crops, arrangement.places, strict=True):
        for panel, place, data in zip(plan.panels, places, pictures, strict=True):
            _draw_panel(canvas, crop, place, panel, data, limits)
    return encode(canvas)


def _write_heading(canvas: Image.Image, plan: Plan, heading: tuple[str, str]) -> None:
    width = canvas.width - 2 * PADDING
    title, facts = heading
    draw_line(canvas, Box(PADDING, PADDING, width, TITLE_LINE), title, TITLE_SIZE, TEXT)
    top = PADDING + TITLE_LINE
    for line in (facts, plan.place):
        draw_line(canvas, Box(PADDING, top, width, FACTS_LINE), line, FACTS_SIZE, SECOND)
        top += FACTS_LINE


def _draw_panel(
    canvas: Image.Image, crop: Box, place: Place, panel: Panel, data: bytes, limits: Limits
) -> None:
    draw_line(canvas, place.label, panel.label, LABEL_SIZE, TEXT)
    spot = place.picture
    edges = (spot.x - 1, spot.y - 1, spot.x + spot.width, spot.y + spot.height)
    ImageDraw.Draw(canvas).rectangle(edges, NOTHING, EDGE)
    window = _window(crop, spot, panel)
    if window is not None:
        canvas.paste(read_window(data, window, limits), (spot.x, spot.y))


def _window(crop: Box, spot: Box, panel: Panel) -> Window | None:
    """The part of the crop that the picture covers; None where it has nothing there."""
    width = min(crop.width, panel.width - crop.x)
    height = min(crop.height, panel.height - crop.y)
    if width <= 0 or height <= 0:
        return None
    part = Box(crop.x, crop.y, width, height)
    across, down = width * spot.width // crop.width, height * spot.height // crop.height
    return Window(part, max(1, across), max(1, down))
