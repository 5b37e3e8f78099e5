"""Render the composite of a comparison: its panels side by side, with labels."""

from collections.abc import Callable, Sequence
from typing import Final

from PIL import Image, ImageDraw

from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.rendering.annotations import color_moved, draw_outlines
from visual_review.imagediff.rendering.arrangement import PADDING, PanelLayout
from visual_review.imagediff.rendering.composite_plan import Panel, Plan
from visual_review.imagediff.rendering.labels import Color, draw_line
from visual_review.imagediff.rendering.outline_choice import show_changes
from visual_review.imagediff.rendering.pair_frames import amplify
from visual_review.imagediff.rendering.thumbnails import RenderedImage, encode
from visual_review.imagediff.rendering.windows import Window, read_window

# Part of every cached composite's key: change the version whenever a composite may look different.
COMPOSITE_VERSION: Final = "4"

BACKGROUND: Final[Color] = (238, 240, 243)
EDGE: Final[Color] = (135, 144, 157)
NO_IMAGE: Final[Color] = (214, 218, 224)
HATCH: Final[Color] = (190, 196, 205)
HATCH_STEP: Final = 16
TEXT: Final[Color] = (26, 31, 39)
MUTED_TEXT: Final[Color] = (70, 79, 91)
TITLE_SIZE: Final = 20
TITLE_LINE: Final = 30
TEXT_SIZE: Final = 16
TEXT_LINE: Final = 24


def render_composite(
    plan: Plan,
    heading: tuple[str, str],
    load_images: Sequence[Callable[[], bytes]],
    limits: Limits = DEFAULT_LIMITS,
) -> RenderedImage:
    """Render the plan below a title and a line of facts.

    ``load_images`` return the PNG file of each panel but an amplified one, and are called one after
    the other, to hold one file at a time in memory. Raises ImageError for an unreadable file.
    """
    arrangement = plan.arrangement
    canvas = Image.new("RGB", (arrangement.width, arrangement.height), BACKGROUND)
    _write_heading(canvas, plan, heading)
    for number, (panel, load) in enumerate(zip(_read_panels(plan), load_images, strict=True)):
        data = load()
        for crop, row in zip(plan.crops, arrangement.layouts, strict=True):
            _draw_panel(canvas, plan, (panel, crop, row[number]), data, limits)
    # Outlines come last, because amplification reads the other panels.
    for crop, row in zip(plan.crops, arrangement.layouts, strict=True):
        if plan.panels[-1].side == "amplified":
            _draw_amplified(canvas, plan, row)
        for panel, layout in zip(plan.panels, row, strict=True):
            outlines = plan.outlines_of(panel, crop)
            keep_clear = show_changes(plan.changes, crop, arrangement.scale)
            draw_outlines(canvas, layout.image, outlines, keep_clear)
    return encode(canvas)


def _read_panels(plan: Plan) -> list[Panel]:
    """Return the panels with a file."""
    return [panel for panel in plan.panels if panel.side != "amplified"]


def _draw_panel(
    canvas: Image.Image,
    plan: Plan,
    placed: tuple[Panel, Box, PanelLayout],
    data: bytes,
    limits: Limits,
) -> None:
    panel, crop, layout = placed
    draw_line(canvas, layout.label, plan.label(panel, crop), TEXT_SIZE, TEXT)
    draw_background(canvas, layout.image)
    window = find_window(crop, layout.image, panel)
    if window is None:
        return
    part = read_window(data, window, limits)
    if panel.side == "diff":
        part = color_moved(part, crop, plan.arrangement.scale, plan.changes)
    canvas.paste(part, (layout.image.x, layout.image.y))


def _draw_amplified(canvas: Image.Image, plan: Plan, row: Sequence[PanelLayout]) -> None:
    """Draw the exaggerated difference between the panels of the images before and after."""
    shown = {
        panel.side: copy_box(canvas, layout.image)
        for panel, layout in zip(plan.panels, row, strict=True)
    }
    amplified = amplify(shown["before"], shown["after"])
    layout = row[-1]
    draw_background(canvas, layout.image)
    canvas.paste(amplified.image, (layout.image.x, layout.image.y))
    draw_line(canvas, layout.label, amplified.label, TEXT_SIZE, TEXT)


def copy_box(canvas: Image.Image, box: Box) -> Image.Image:
    return canvas.crop((box.x, box.y, box.x + box.width, box.y + box.height))


def _write_heading(canvas: Image.Image, plan: Plan, heading: tuple[str, str]) -> None:
    width = canvas.width - 2 * PADDING
    title, facts = heading
    draw_line(canvas, Box(PADDING, PADDING, width, TITLE_LINE), title, TITLE_SIZE, TEXT)
    top = PADDING + TITLE_LINE
    view = ". ".join(line for line in (plan.describe_view(), plan.explain_colors()) if line)
    for line in (facts, view):
        draw_line(canvas, Box(PADDING, top, width, TEXT_LINE), line, TEXT_SIZE, MUTED_TEXT)
        top += TEXT_LINE


def draw_background(canvas: Image.Image, box: Box) -> None:
    """Draw an edge around the panel, and hatching for the parts without an image."""
    background = Image.new("RGB", (box.width, box.height), NO_IMAGE)
    brush = ImageDraw.Draw(background)
    for start in range(-box.height, box.width, HATCH_STEP):
        brush.line((start, box.height, start + box.height, 0), HATCH)
    canvas.paste(background, (box.x, box.y))
    edges = (box.x - 1, box.y - 1, box.x + box.width, box.y + box.height)
    ImageDraw.Draw(canvas).rectangle(edges, outline=EDGE)


def find_window(crop: Box, box: Box, panel: Panel) -> Window | None:
    """Return the part of the crop within the image, or None."""
    width = min(crop.width, panel.width - crop.x)
    height = min(crop.height, panel.height - crop.y)
    if width <= 0 or height <= 0:
        return None
    across, down = width * box.width // crop.width, height * box.height // crop.height
    part = Box(crop.x, crop.y, width, height)
    return Window(part, max(1, across), max(1, down), is_diff=panel.side == "diff")
