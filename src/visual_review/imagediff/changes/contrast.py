"""Colors as people write them, and the contrast of two as WCAG 2 defines it."""

from typing import Final

# Of WCAG 2.2, "relative luminance".
LINEAR_LIMIT: Final = 0.04045
WEIGHTS: Final = (0.2126, 0.7152, 0.0722)
OPAQUE: Final = 255
# What WCAG 2 asks of text, and a loss that is seen at any contrast.
LEGIBLE: Final = 4.5
CLEAR_LOSS: Final = 1.5


def split_channels(color: int) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha."""
    red, green, blue, alpha = color.to_bytes(4, "little")
    return red, green, blue, alpha


def name_color(color: int) -> str:
    """Return ``#rrggbb``, with two more digits where it is not opaque."""
    *channels, alpha = split_channels(color)
    shown = channels if alpha == OPAQUE else [*channels, alpha]
    return "#" + "".join(f"{channel:02x}" for channel in shown)


def measure_contrast(one: int, two: int) -> float:
    """Return the contrast ratio of two opaque colors, from 1 to 21."""
    dark, light = sorted(map(_luminance, (one, two)))
    return (light + 0.05) / (dark + 0.05)


def lost_contrast(before: float, after: float) -> bool:
    """Return whether text became illegible, or clearly harder to read."""
    return after < LEGIBLE <= before or after * CLEAR_LOSS < before


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
