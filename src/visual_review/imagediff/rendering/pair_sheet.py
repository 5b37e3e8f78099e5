"""Render dense sheets of numbered pairs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from PIL import Image

from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.rendering.annotations import draw_outlines
from visual_review.imagediff.rendering.composite import (
    BACKGROUND,
    MUTED_TEXT,
    TEXT,
    copy_box,
    draw_background,
    find_window,
)
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.labels import draw_line, fit_both_ends, text_width
from visual_review.imagediff.rendering.outline_choice import (
    PanelSide,
    outline_changes,
    show_changes,
)
from visual_review.imagediff.rendering.pair_frames import amplify
from visual_review.imagediff.rendering.pair_sheet_plan import (
    LABEL_LINE,
    TITLE_LINE,
    PairCell,
    PairSheetPlan,
)
from visual_review.imagediff.rendering.thumbnails import RenderedImage, encode
from visual_review.imagediff.rendering.windows import read_window

# Part of every cached sheet's key: change the version whenever a sheet may look different.
PAIR_SHEET_VERSION: Final = "2"

TITLE_SIZE: Final = 14
LABEL_SIZE: Final = 11
NUMBER_BACK: Final = (26, 31, 39)
NUMBER_TEXT: Final = (255, 255, 255)
NUMBER_PADDING: Final = 5

LoadImage = Callable[[], bytes]


def render_pair_sheet(
    plan: PairSheetPlan,
    load_images: Sequence[Mapping[PanelSide, LoadImage]],
    limits: Limits = DEFAULT_LIMITS,
) -> RenderedImage:
    """Render the plan; ``load_images`` return the PNG files of each entry by side.

    One file at a time is in memory. Raises ImageError.
    """
    canvas = Image.new("RGB", (plan.width, plan.height), BACKGROUND)
    for (cell, left, top), loaders in zip(plan.cells, load_images, strict=True):
        _write_title(canvas, cell, left, top)
        _draw_panels(canvas, cell, (left, top), loaders, limits)
    return encode(canvas)


def _write_title(canvas: Image.Image, cell: PairCell, left: int, top: int) -> None:
    number = f"#{cell.entry.number}"
    width = text_width(number, TITLE_SIZE) + 2 * NUMBER_PADDING
    canvas.paste(NUMBER_BACK, (left, top, left + width, top + TITLE_LINE - 2))
    inner = Box(left + NUMBER_PADDING, top, width - NUMBER_PADDING, TITLE_LINE - 2)
    draw_line(canvas, inner, number, TITLE_SIZE, NUMBER_TEXT)
    start = width + NUMBER_PADDING
    room = Box(left + start, top, cell.size[0] - start, TITLE_LINE - 2)
    title = fit_both_ends(f"{cell.entry.title}, {cell.entry.variant}", TITLE_SIZE, room.width)
    draw_line(canvas, room, title, TITLE_SIZE, TEXT)


def _draw_panels(
    canvas: Image.Image,
    cell: PairCell,
    corner: tuple[int, int],
    loaders: Mapping[PanelSide, LoadImage],
    limits: Limits,
) -> None:
    for panel in cell.panels:
        data = loaders[panel.side]() if panel.side in loaders else b""
        for each, part, box in cell.panel_boxes(*corner):
            if each is not panel:
                continue
            name = panel.name.lower()
            draw_background(canvas, box)
            window = find_window(part, box, panel)
            if panel.side == "amplified":
                name = _draw_amplified(canvas, cell, corner, (part, box))
            elif window is not None:
                canvas.paste(
                    read_window(data, replace(window, compact=True), limits), (box.x, box.y)
                )
            label = Box(box.x, box.y - LABEL_LINE, box.width, LABEL_LINE)
            draw_line(canvas, label, name, LABEL_SIZE, MUTED_TEXT)
    # Outlines come last: an amplified panel shows differences, not drawn outlines.
    for panel, part, box in cell.panel_boxes(*corner):
        _outline(canvas, cell, panel, part, box)


def _draw_amplified(
    canvas: Image.Image, cell: PairCell, corner: tuple[int, int], target: tuple[Box, Box]
) -> str:
    """Draw the amplified panel of a part from the panels next to it, and return its label."""
    part, box = target
    sources = [
        copy_box(canvas, each)
        for panel, shown, each in cell.panel_boxes(*corner)
        if shown is part and panel.side != "amplified"
    ]
    amplified = amplify(*sources)
    canvas.paste(amplified.image, (box.x, box.y))
    return amplified.label.lower()


def _outline(canvas: Image.Image, cell: PairCell, panel: Panel, part: Box, box: Box) -> None:
    entry, scale = cell.entry, cell.frame.scale
    if len(entry.panels) == 1 or panel.side == "amplified" or not entry.view.outlines:
        return
    outlines = outline_changes(entry.boxes, entry.changes, panel.side, part, scale, large_ones=True)
    draw_outlines(canvas, box, outlines, show_changes(entry.changes, part, scale))
