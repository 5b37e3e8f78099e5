"""Reads the colors of ``tokens.css`` in each theme, and measures their contrast."""

import re
from functools import cache
from pathlib import Path

import visual_review

STATIC = Path(visual_review.__file__).parent / "web" / "static" / "web"
_TOKEN = re.compile(r"^\s*--([a-z0-9-]+):\s*([^;]+);", re.MULTILINE)
_BOTH = re.compile(r"light-dark\((.+?), (.+)\)$")
_HEX = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$")
_ALIAS = re.compile(r"var\(--([a-z0-9-]+)\)$")
# The constants of WCAG 2.2, "relative luminance".
_LINEAR_BELOW = 0.04045
_WEIGHTS = (0.2126, 0.7152, 0.0722)
_FLARE = 0.05


@cache
def read_tokens() -> dict[str, str]:
    """Return the declarations of ``:root``, except for reduced motion."""
    text = (STATIC / "tokens.css").read_text(encoding="utf-8")
    return dict(_TOKEN.findall(text.split("@media")[0]))


def color_of(name: str, theme: str) -> str:
    """Return the value of a token in ``light`` or ``dark``."""
    value = read_tokens()[name]
    if alias := _ALIAS.match(value):
        return color_of(alias[1], theme)
    both = _BOTH.match(value)
    return both[1 if theme == "light" else 2] if both else value


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two ``#rrggbb`` colors, as defined by WCAG 2.2."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + _FLARE) / (darker + _FLARE)


def _luminance(color: str) -> float:
    channels = _HEX.match(color)
    assert channels, f"{color} is not written as #rrggbb"
    return sum(
        weight * _linear(int(channel, 16) / 255)
        for weight, channel in zip(_WEIGHTS, channels.groups(), strict=True)
    )


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= _LINEAR_BELOW else ((channel + 0.055) / 1.055) ** 2.4
