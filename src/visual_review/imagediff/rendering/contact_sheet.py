"""Render contact sheets: numbered pairs of a before and an after image, cropped to the change."""

from collections.abc import Callable, Sequence
from typing import Final

from PIL import Image

from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.rendering.annotations import draw_outlines
from visual_review.imagediff.rendering.arrangement import PADDING
from visual_review.imagediff.rendering.composite import (
    BACKGROUND,
    MUTED_TEXT,
    TEXT,
    draw_background,
    find_window,
)
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.contact_sheet_plan import (
    HEADING,
    LABEL_LINE,
    TEXT_LINE,
    TEXT_SIZE,
    TITLE_LINE,
    Cell,
    SheetPlan,
)
from visual_review.imagediff.rendering.encoding import RenderedImage, encode
from visual_review.imagediff.rendering.labels import draw_line, fit_both_ends, text_width
from visual_review.imagediff.rendering.outlines import outline_changes, show_changes
from visual_review.imagediff.rendering.windows import read_window

# Part of every cached sheet's key: change it whenever one may look different.
SHEET_VERSION: Final = "2"

HEADING_SIZE: Final = 18
TITLE_SIZE: Final = 16
LABEL_SIZE: Final = 12
NUMBER_BACK: Final = (26, 31, 39)
NUMBER_TEXT: Final = (255, 255, 255)
NUMBER_PADDING: Final = 6

LoadImage = Callable[[], bytes]


def render_contact_sheet(
    plan: SheetPlan,
    heading: str,
    load_images: Sequence[Sequence[LoadImage]],
    limits: Limits = DEFAULT_LIMITS,
) -> RenderedImage:
    """Render the plan below a heading.

    ``load_images`` return the PNG files of each entry's panels, one at a time. Raises ImageError.
    """
    canvas = Image.new("RGB", (plan.width, plan.height), BACKGROUND)
    line = Box(PADDING, PADDING, plan.width - 2 * PADDING, HEADING - PADDING // 2)
    draw_line(canvas, line, heading, HEADING_SIZE, TEXT)
    for cell, loaders in zip(plan.cells, load_images, strict=True):
        _write_text(canvas, cell)
        for (panel, box), load in zip(cell.panel_boxes(), loaders, strict=True):
            _draw_panel(canvas, cell, (panel, box), load, limits)
    return encode(canvas)


def _write_text(canvas: Image.Image, cell: Cell) -> None:
    entry, box = cell.entry, cell.box
    number = str(entry.number)
    width = text_width(number, TITLE_SIZE) + 2 * NUMBER_PADDING
    canvas.paste(NUMBER_BACK, (box.x, box.y, box.x + width, box.y + TITLE_LINE - 2))
    inner = Box(box.x + NUMBER_PADDING, box.y, width - NUMBER_PADDING, TITLE_LINE - 2)
    draw_line(canvas, inner, number, TITLE_SIZE, NUMBER_TEXT)
    left = width + NUMBER_PADDING
    title = Box(box.x + left, box.y, box.width - left, TITLE_LINE - 2)
    shown = fit_both_ends(entry.title, TITLE_SIZE, title.width)
    draw_line(canvas, title, shown, TITLE_SIZE, TEXT)
    view = "" if cell.shows_all else ", in part"
    lines = [(f"{entry.variant}{view}, {entry.size}", MUTED_TEXT)]
    lines += [(line, TEXT) for line in cell.summary]
    for at, (text, color) in enumerate(lines):
        top = box.y + TITLE_LINE + at * TEXT_LINE
        draw_line(canvas, Box(box.x, top, box.width, TEXT_LINE), text, TEXT_SIZE, color)


def _draw_panel(
    canvas: Image.Image, cell: Cell, placed: tuple[Panel, Box], load: LoadImage, limits: Limits
) -> None:
    panel, box = placed
    crop, scale = cell.frame.crop, cell.frame.scale
    room = cell.box.x + cell.box.width - box.x if len(cell.entry.panels) == 1 else box.width
    label = Box(box.x, box.y - LABEL_LINE, max(room, box.width), LABEL_LINE)
    draw_line(canvas, label, _describe(panel, cell), LABEL_SIZE, MUTED_TEXT)
    draw_background(canvas, box)
    window = find_window(crop, box, panel)
    if window is not None:
        canvas.paste(read_window(load(), window, limits), (box.x, box.y))
    if len(cell.entry.panels) > 1:
        entry = cell.entry
        outlines = outline_changes(
            entry.boxes, entry.changes, panel.side, crop, scale, large_ones=True
        )
        draw_outlines(canvas, box, outlines, show_changes(entry.changes, crop, scale))


def _describe(panel: Panel, cell: Cell) -> str:
    """Return the label of a panel: which part it shows."""
    crop = cell.frame.crop
    return panel.name if crop == cell.entry.area else f"{panel.name} at {crop.x},{crop.y}"
