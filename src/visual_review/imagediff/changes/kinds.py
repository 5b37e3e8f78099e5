"""Decide the kind of change in an area; pure, and vague rather than wrong."""

from typing import Final

from visual_review.imagediff.changes.model import ChangeKind
from visual_review.imagediff.features import AreaFeatures, ChangeFeatures, SideFeatures

# Of WCAG 2.2, "relative luminance".
LINEAR_LIMIT: Final = 0.04045
WEIGHTS: Final = (0.2126, 0.7152, 0.0722)
OPAQUE: Final = 255
# The contrast required by WCAG 2 for text, and for large text, whose lines have ink on at least
# 24 rows; and a visible loss of contrast.
LEGIBLE: Final = 4.5
LEGIBLE_IF_LARGE: Final = 3.0
LARGE: Final = 24
LOSS: Final = 1.2
# Shares of the pixels in question.
NEARLY_ALL: Final = 0.98
HARDLY_ANY: Final = 0.1
# The frame around an area shows one background.
FLAT_FRAME: Final = 0.6
SAME_COLOR: Final = 8
# Lost and new edges within the same shapes.
STRAY_EDGES: Final = 0.01
PEAK_EDGES: Final = 4
LEAST_EDGES: Final = 16
BUSY: Final = 1.2
# Letters: high enough, in lines longer than high, of thin strokes in one color.
LETTER_HEIGHTS: Final = range(6, 49)
LEAST_WIDTH: Final = 1.5
INK_SHARES: Final = (0.02, 0.6)
LEAST_STROKES: Final = 1.2
STROKE_WIDTH: Final = 0.5
LONGEST_STROKE: Final = 2
BLENDED: Final = 0.85
# Of a blurred area: an edge of so many levels before, and at most such a part of the edge after,
# while the mean brightness stays the same within some levels.
SHARP: Final = 48
SOFTER: Final = 0.65
SAME_INK: Final = 3
PHOTO_COLORS: Final = 48
PREVAILING: Final = 0.35
NEARLY_BARE: Final = 0.8


def decide_kind(features: AreaFeatures, width: int) -> ChangeKind:
    """Return the kind of the change in an area of the given width."""
    change = features.change
    if change.ones and change.isolated == change.ones:
        return "noise"
    if has_same_shapes(change, features.after.inside):
        return "color"
    if shows_background(features.after, change.became_background, features):
        return "vanished"
    if shows_background(features.before, change.was_background, features):
        return "appeared"
    return decide_content_kind(features, width)


def decide_content_kind(features: AreaFeatures, width: int) -> ChangeKind:
    """Return the kind of an area with content on both sides."""
    if is_blurred(features.before, features.after):
        return "blurred"
    if is_text_change(features, width):
        return "text"
    photos = is_photo(features.before), is_photo(features.after)
    other = features.before if photos[1] else features.after
    # Where a photo vanished, hardly anything is left.
    is_bare = other.main_count >= NEARLY_BARE * other.samples
    return "image" if all(photos) or (any(photos) and is_bare) else "pixels"


def is_blurred(before: SideFeatures, after: SideFeatures) -> bool:
    """Return whether edges became soft, while there is as much ink on the same background."""
    return (
        color_distance(before.main, after.main) <= SAME_COLOR
        and before.inked > 0 < after.inked
        and before.steepest >= SHARP
        and after.steepest <= SOFTER * before.steepest
        and abs(before.brightness - after.brightness) <= SAME_INK * before.searched
    )


def is_photo(side: SideFeatures) -> bool:
    """Return whether one side has many colors, none of them prevailing."""
    return side.colors >= PHOTO_COLORS and side.main_count <= PREVAILING * side.samples


def shows_background(side: SideFeatures, shown: int, features: AreaFeatures) -> bool:
    """Return whether one side has nothing but its background where the other has more."""
    change = features.change
    other = change.was_background + change.became_background - shown
    return (
        change.unequal > 0
        and shown >= NEARLY_ALL * change.unequal
        and other <= HARDLY_ANY * change.unequal
        and side.background_around > FLAT_FRAME * side.around
    )


def has_same_shapes(change: ChangeFeatures, area: int) -> bool:
    """Return whether the same shapes have other colors, each always the same one.

    ``area`` is the number of pixels. In noise, colors do not repeat and edges are everywhere.
    """
    strays = change.edges_lost + change.edges_new
    edges = max(change.edges_before, change.edges_after)
    # Without shapes within, at least the outline stayed.
    shaped = edges >= LEAST_EDGES or change.outline_strays <= STRAY_EDGES * edges
    repeated = change.pairs * 3 <= change.pair_samples or edges <= BUSY * area
    return (
        change.pair_samples > 0
        and color_distance(change.first_before, change.first_after) > SAME_COLOR
        and strays <= STRAY_EDGES * edges
        and change.edges_peak <= PEAK_EDGES
        and shaped
        and repeated
        and change.mapped >= (1 - HARDLY_ANY) * change.pair_samples
    )


def is_text_change(features: AreaFeatures, width: int) -> bool:
    """Return whether letters on a background were replaced by others on the same one."""
    before, after = features.before, features.after
    if color_distance(before.main, after.main) > SAME_COLOR:
        return False
    alike = [is_text(side, width) for side in (before, after)]
    inked = [0 < side.blended >= BLENDED * side.inked for side in (before, after)]
    return any(alike) and all(inked)


def is_text(side: SideFeatures, width: int) -> bool:
    """Return whether one side shows lines of letters."""
    if not side.strokes:
        return False
    height = side.ink_rows / side.bands
    least, most = INK_SHARES
    return (
        round(height) in LETTER_HEIGHTS
        and width >= LEAST_WIDTH * height
        and least * side.searched <= side.inked <= most * side.searched
        and side.strokes >= LEAST_STROKES * side.ink_rows
        and side.inked <= STROKE_WIDTH * height * side.strokes
        and side.longest <= LONGEST_STROKE * height
        and side.blended >= BLENDED * side.inked
    )


def is_large(side: SideFeatures) -> bool:
    """Return whether the lines of letters on one side are large in the sense of WCAG 2."""
    return side.ink_rows >= LARGE * side.bands


def split_channels(color: int) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha."""
    red, green, blue, alpha = color.to_bytes(4, "little")
    return red, green, blue, alpha


def name_color(color: int) -> str:
    """Return ``#rrggbb``, with two more digits for a translucent color."""
    *channels, alpha = split_channels(color)
    shown = channels if alpha == OPAQUE else [*channels, alpha]
    return "#" + "".join(f"{channel:02x}" for channel in shown)


def measure_contrast(one: int, two: int) -> float:
    """Return the contrast ratio of two opaque colors, from 1 to 21."""
    dark, light = sorted(map(_luminance, (one, two)))
    return (light + 0.05) / (dark + 0.05)


def lost_contrast(before: float, after: float) -> bool:
    """Return whether text is harder to read than before, and below the minimum of WCAG 2."""
    return after < LEGIBLE and after * LOSS < before


def color_distance(one: int, two: int) -> int:
    """Return the largest difference of a channel."""
    pairs = zip(split_channels(one), split_channels(two), strict=True)
    return max(abs(first - second) for first, second in pairs)


def _luminance(color: int) -> float:
    channels = zip(WEIGHTS, split_channels(color)[:3], strict=True)
    return sum(weight * _linear(channel / 255) for weight, channel in channels)


def _linear(channel: float) -> float:
    if channel <= LINEAR_LIMIT:
        return channel / 12.92
    return float(((channel + 0.055) / 1.055) ** 2.4)
