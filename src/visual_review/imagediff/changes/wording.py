"""Describe changes in words: a few words for a change, one sentence for a screenshot."""

from collections.abc import Sequence
from typing import Final, Literal

from visual_review.imagediff.changes.kinds import (
    SAME_COLOR,
    color_distance,
    is_photo,
    is_text,
    lost_contrast,
    name_color,
)
from visual_review.imagediff.changes.model import CHANGE_KINDS, Change, Offset
from visual_review.imagediff.changes.shapes import Area
from visual_review.imagediff.features import AreaFeatures, SideFeatures
from visual_review.imagediff.model import Box

MOST_PHRASES: Final = 3
# Moved letters have as many strokes or as much ink, unless the area ends within them.
SAME_INK: Final = 0.18
# Names of shapes: a line is thin and long, an icon small and about as wide as high, a card large,
# with a border of its width or a background of its own. All else is an area.
LINE: Final = 4
LINE_LENGTH: Final = 4
ICON: Final = range(16, 65)
ICON_ASPECT: Final = 1.25
CARD: Final = (96, 48)
FRAMED: Final = 0.9
FAINT_PREFIX: Final = "faint: "
# Of a longer or shorter page, in the window.
SCROLLBAR: Final = CHANGE_KINDS["scrollbar"].description


def name_shape(side: SideFeatures, bare: SideFeatures, box: Box) -> str:
    """Return a noun justified by size and shape, for content of only one side."""
    short, long = sorted((box.width, box.height))
    if is_text(side, box.width):
        return "text"
    if short <= LINE and long >= LINE_LENGTH * short:
        return "line"
    alone = side.background_around == side.around > 0
    if alone and short in ICON and long in ICON and long <= ICON_ASPECT * short:
        return "icon"
    is_large = box.width >= CARD[0] and box.height >= CARD[1]
    # A line of full width on both sides separates the content, and is no border of a card.
    has_border = side.longest >= FRAMED * box.width and not bare.inked
    is_framed = has_border or 2 * side.background_around < side.around
    return "card" if is_large and side.inked and is_framed else "area"


def describe_area(area: Area, contrast: tuple[float, float] | None) -> str:
    """Return the change of an area, without its position."""
    kind, features, box = area.kind, area.features, area.box
    if description := CHANGE_KINDS[kind].description:
        return description
    if kind in ("vanished", "appeared"):
        sides = features.before, features.after
        side, bare = sides if kind == "vanished" else reversed(sides)
        return f"{name_shape(side, bare, box)} {kind}"
    if kind == "border":
        return f"border {'vanished' if features.change.edges_lost > features.change.edges_new else 'appeared'}"
    if kind == "image":
        return _describe_image(features, box)
    if kind == "pixels":
        return _describe_pixels(features, box)
    if kind == "text":
        phrase = describe_text(features, "number" if area.is_number else "text")
    else:
        phrase = describe_colors(features)
    return f"{FAINT_PREFIX if kind == 'faint' else ''}{phrase}{_describe_loss(contrast)}"


def _describe_image(features: AreaFeatures, box: Box) -> str:
    if is_photo(features.before) != is_photo(features.after):
        return f"image {'vanished' if is_photo(features.before) else 'appeared'}"
    return "icon replaced" if max(box.width, box.height) < ICON.stop else "image changed"


def _describe_pixels(features: AreaFeatures, box: Box) -> str:
    size = f"{box.width}x{box.height}"
    return (
        f"region {size} became one color" if _is_emptied(features) else f"pixels differ in {size}"
    )


def _is_emptied(features: AreaFeatures) -> bool:
    """Return whether one color is left where one image had more, and both have the whole area."""
    before, after = features.before, features.after
    return before.inked > 0 and not after.inked and before.inside == after.inside > 0


def _describe_loss(contrast: tuple[float, float] | None) -> str:
    if contrast is None or not lost_contrast(*contrast):
        return ""
    return f", contrast dropped from {contrast[0]:.1f} to {contrast[1]:.1f}"


def describe_text(features: AreaFeatures, noun: str) -> str:
    """Say "changed" only if the text cannot be the same text at another place."""
    before, after = features.before, features.after
    pairs = ((before.inked, after.inked), (before.strokes, after.strokes))
    changed = all(abs(old - new) > SAME_INK * max(old, new) for old, new in pairs)
    return f"{noun} {'changed' if changed else 'differs'}"


def describe_colors(features: AreaFeatures) -> str:
    before, after = features.before, features.after
    if _near(before.main, after.ink) and _near(before.ink, after.main) and before.inked:
        return f"{name_color(before.main)} and {name_color(before.ink)} swapped"
    old, new = choose_colors(features)
    return f"{name_color(old)} to {name_color(new)}"


def choose_colors(features: AreaFeatures) -> tuple[int, int]:
    """Return the most changed color, before and after: of text, the color of the letters."""
    before, after = features.before, features.after
    letters = _near(before.main, after.main) and before.inked and after.inked
    if letters and not _near(before.ink, after.ink):
        return before.ink, after.ink
    return features.change.first_before, features.change.first_after


def describe_move(offset: Offset) -> str:
    parts = []
    if offset.x:
        parts.append(f"{'right' if offset.x > 0 else 'left'} by {abs(offset.x):,} px")
    if offset.y:
        parts.append(f"{'down' if offset.y > 0 else 'up'} by {abs(offset.y):,} px")
    return "moved " + " and ".join(parts)


def describe_resize(axis: Literal["x", "y"], more: int, at_end: bool) -> str:  # noqa: FBT001
    larger, smaller, end = {
        "x": ("wider", "narrower", "on the right"),
        "y": ("taller", "shorter", "at the bottom"),
    }[axis]
    phrase = f"{abs(more):,} px {larger if more > 0 else smaller}"
    return f"{phrase} {end}" if at_end else phrase


def summarize(changes: Sequence[Change], size: tuple[int, int]) -> str:
    """Return one sentence about all changes, the worst first, without a period.

    ``size`` is the size of the later image.
    """
    kinds = list(dict.fromkeys(change.kind for change in changes))
    for kind in CHANGE_KINDS:
        if CHANGE_KINDS[kind].is_trivial and len(kinds) > 1 and kind in kinds:
            kinds.remove(kind)
    if kinds == ["color"]:
        return _summarize_colors([change for change in changes if change.kind == "color"])
    phrases = [
        _summarize_kind([change for change in changes if change.kind == kind], size)
        for kind in kinds
    ]
    return "; ".join(phrases[:MOST_PHRASES])


def _summarize_colors(changes: Sequence[Change]) -> str:
    descriptions = list(dict.fromkeys(change.description for change in changes))
    more = f" and {len(descriptions) - 1} more" if len(descriptions) > 1 else ""
    return f"only colors: {descriptions[0]}{more}"


def _summarize_kind(changes: Sequence[Change], size: tuple[int, int]) -> str:
    first, more = changes[0], len(changes) - 1
    if first.kind == "resized":
        return "page " + " and ".join(change.description for change in changes)
    if first.kind == "moved":
        return _summarize_moves(changes, size)
    if first.kind == "faint":
        return _summarize_faint(changes)
    what, comma, contrast = first.description.partition(", ")
    return f"{what} at {_place(first.box)}{comma}{contrast}{_more_places(more)}"


def _summarize_faint(changes: Sequence[Change]) -> str:
    """Say how many pixels no plain comparison counts, and the colors of the first area."""
    first = changes[0]
    what, comma, contrast = first.description.removeprefix(FAINT_PREFIX).partition(", ")
    pixels = sum(change.pixels for change in changes)
    return (
        f"{FAINT_PREFIX}{pixels:,} pixels changed by less than the threshold, {what} at "
        f"{_place(first.box)}{comma}{contrast}{_more_places(len(changes) - 1)}"
    )


def _more_places(more: int) -> str:
    return f" and {more:,} more place{'s' if more > 1 else ''}" if more else ""


def _summarize_moves(changes: Sequence[Change], size: tuple[int, int]) -> str:
    first, box = changes[0], changes[0].box
    if len(changes) == 1:
        if first.moved_by and (box.x, box.width, box.y + box.height) == (0, *size):
            # The row where the move begins: rows were inserted or removed there.
            return f"content below y={box.y - max(0, first.moved_by.y):,} {first.description}"
        return f"content in {box.width}x{box.height} at {_place(box)} {first.description}"
    moves = [change.moved_by for change in changes if change.moved_by is not None]
    lengths = [max(abs(move.x), abs(move.y)) for move in moves]
    distance = (
        f"{min(lengths):,} to {max(lengths):,}" if min(lengths) < max(lengths) else lengths[0]
    )
    return f"content moved by {distance} px"


def _place(box: Box) -> str:
    return f"{box.x},{box.y}"


def _near(one: int, two: int) -> bool:
    return color_distance(one, two) <= SAME_COLOR
