"""Draw outlines around changes, and moved content in a color of its own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from PIL import Image, ImageChops, ImageDraw

from visual_review.imagediff.changes.model import Change
from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.labels import draw_line, text_width
from visual_review.imagediff.rendering.outline_choice import (
    MOVED_COLOR,
    STROKE,
    Outline,
    contains,
    find_source,
    meet,
)

WHITE: Final = (255, 255, 255)
RADIUS: Final = 5
CHIP_TEXT: Final = 13
CHIP_HEIGHT: Final = 18
CHIP_PADDING: Final = 5
# A label in an outline takes at most such a part of its height.
ROOM_FOR_LABEL: Final = 5
# Beyond the panel there is room for the outline of a change at its edge, and no more.
OVERHANG: Final = 9
# A change in a diff image is so much more red than green or blue, also after scaling down; a faint
# change so much less red.
TINT: Final = 100


def draw_outlines(
    canvas: Image.Image, panel: Box, outlines: Sequence[Outline], keep_clear: Sequence[Box] = ()
) -> None:
    """Draw outlines on the panel of a canvas; an outline at the panel's edge lies just beyond.

    ``keep_clear`` are boxes in pixels of the panel. Lines pass behind the boxes, except behind one
    with all of the outline; labels within outlines cover none of the boxes.
    """
    for outline in outlines:
        with _drawing_on(canvas, panel, outline) as (strip, left, top):
            taken = _shift(keep_clear, left - outline.box.x, top - outline.box.y)
            own = Box(left, top, outline.box.width, outline.box.height)
            kept = [box for box in taken if not contains(box, own)]
            clear = [(strip.crop(_edges(box)), (box.x, box.y)) for box in kept]
            _draw_outline(strip, outline, left, top)
            for content, corner in clear:
                strip.paste(content, corner)
    for outline in outlines:
        with _drawing_on(canvas, panel, outline) as (strip, left, top):
            taken = _shift(keep_clear, left - outline.box.x, top - outline.box.y)
            _draw_label(strip, outline, (left, top), taken)


def _shift(boxes: Sequence[Box], x: int, y: int) -> list[Box]:
    return [Box(box.x + x, box.y + y, box.width, box.height) for box in boxes]


def _edges(box: Box) -> tuple[int, int, int, int]:
    return box.x, box.y, box.x + box.width, box.y + box.height


@contextmanager
def _drawing_on(
    canvas: Image.Image, panel: Box, outline: Outline
) -> Iterator[tuple[Image.Image, int, int]]:
    """Yield the part of the canvas to draw on, and the start of the outline within the part."""
    box = outline.box
    ends = (-box.x, -box.y, box.x + box.width - panel.width, box.y + box.height - panel.height)
    # An outline continuing outside the panel has no edge there.
    over = [OVERHANG if end <= OVERHANG else 0 for end in ends]
    left, top = panel.x - over[0], panel.y - over[1]
    right, bottom = panel.x + panel.width + over[2], panel.y + panel.height + over[3]
    strip = canvas.crop((left, top, right, bottom))
    yield strip, box.x + over[0], box.y + over[1]
    canvas.paste(strip, (left, top))


def _draw_outline(strip: Image.Image, outline: Outline, left: int, top: int) -> None:
    """Draw a line of the color between two white ones, visible on light and dark."""
    brush = ImageDraw.Draw(strip)
    edges = (left, top, left + outline.box.width - 1, top + outline.box.height - 1)
    brush.rounded_rectangle(edges, RADIUS, outline=WHITE, width=STROKE)
    inner = (edges[0] + 1, edges[1] + 1, edges[2] - 1, edges[3] - 1)
    brush.rounded_rectangle(inner, RADIUS - 1, outline=outline.color, width=STROKE - 2)


def _draw_label(
    strip: Image.Image, outline: Outline, corner: tuple[int, int], taken: Sequence[Box]
) -> None:
    if not outline.label:
        return
    width = text_width(outline.label, CHIP_TEXT) + 2 * CHIP_PADDING
    left, top = corner
    right, bottom = left + outline.box.width, top + outline.box.height
    visible = (max(left, 0), max(top, 0), min(right, strip.width), min(bottom, strip.height))
    places = _places_inside(visible, width) if outline.inside else _place_on_edge(visible, width)
    free = (each for each in places if not (outline.inside and any(meet(each, t) for t in taken)))
    chip = next(free, None)
    if chip is None:
        return
    edges = (chip.x, chip.y, chip.x + chip.width - 1, chip.y + chip.height - 1)
    ImageDraw.Draw(strip).rounded_rectangle(edges, RADIUS, fill=outline.color)
    text = Box(chip.x + CHIP_PADDING, chip.y, width - 2 * CHIP_PADDING, CHIP_HEIGHT)
    draw_line(strip, text, outline.label, CHIP_TEXT, WHITE)


def _places_inside(visible: tuple[int, int, int, int], width: int) -> list[Box]:
    """Return the corners where a label hides little, the best first."""
    left, top, right, bottom = visible
    if right - left < width + 2 * CHIP_PADDING or bottom - top < ROOM_FOR_LABEL * CHIP_HEIGHT:
        return []
    upper, lower = top + CHIP_PADDING, bottom - CHIP_PADDING - CHIP_HEIGHT
    start, end = left + CHIP_PADDING, right - CHIP_PADDING - width
    # Most content is aligned to the left.
    corners = ((end, upper), (end, lower), (start, upper), (start, lower))
    return [Box(x, y, width, CHIP_HEIGHT) for x, y in corners]


def _place_on_edge(visible: tuple[int, int, int, int], width: int) -> list[Box]:
    left, top, right, _ = visible
    if right - left < width + 2 * CHIP_PADDING:
        return []
    return [Box(left + CHIP_PADDING, max(0, top - CHIP_HEIGHT // 2), width, CHIP_HEIGHT)]


def color_moved(
    shown: Image.Image, crop: Box, scale: float, changes: Sequence[Change]
) -> Image.Image:
    """Return a part of a diff image without the marks of change on moved content.

    Changes within moved content keep their color.
    """
    moved = [change for change in changes if change.kind == "moved" and change.moved_by]
    if not moved:
        return shown
    within = Image.new("L", shown.size)
    brush = ImageDraw.Draw(within)
    for change in moved:
        if change.moved_by is not None:
            for box in (change.box, find_source(change.box, change.moved_by)):
                _fill(brush, box, crop, scale, 255)
    for change in changes:
        if change.kind != "moved":
            _fill(brush, change.box, crop, scale, 0)
    red, green, blue = shown.split()
    for tint in (
        ImageChops.subtract(red, ImageChops.lighter(green, blue)),
        # Of teal, for faint differences.
        ImageChops.subtract(ImageChops.darker(green, blue), red),
    ):
        marked = tint.point([255 if value >= TINT else 0 for value in range(256)])
        shown.paste(MOVED_COLOR, mask=ImageChops.multiply(within, marked))
    return shown


def _fill(brush: ImageDraw.ImageDraw, box: Box, crop: Box, scale: float, value: int) -> None:
    left, top = (box.x - crop.x) * scale, (box.y - crop.y) * scale
    right, bottom = left + box.width * scale, top + box.height * scale
    brush.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), fill=value)
