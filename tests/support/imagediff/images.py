"""Pairs of images, the same on every machine, for counts from other programs."""

import io
import math
import random
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.engine import engine
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits
from visual_review.imagediff.port import Marks

Pixels = npt.NDArray[np.uint8]
Pair = tuple[Pixels, Pixels]


@cache
def pairs() -> dict[str, Pair]:
    """Return all pairs by name, RGBA, same size within a pair; callers must not change them."""
    result: dict[str, Pair] = {
        "disc moved by half a pixel": (_discs(0.0), _discs(0.5)),
        "disc moved by three pixels": (_discs(0.0), _discs(3.0)),
        "disc half transparent": (_discs(0.0, alpha=128), _discs(0.4, alpha=120)),
        "disc on nothing": (_discs(0.0, paper=(0, 0, 0, 0)), _discs(0.7, paper=(0, 0, 0, 0))),
        "gradient shifted": (_gradient(0), _gradient(3)),
    }
    # The names are seeds, and keys of the stored counts: changing a name changes its images.
    for seed, (width, height) in enumerate(((40, 30), (1, 50), (50, 1), (2, 2), (3, 3), (97, 61))):
        for name, colors in (("few colours", 3), ("many colours", 40)):
            for veil in ("opaque", "veiled"):
                rng = random.Random(f"{seed} {name} {veil}")
                palette = _palette(rng, colors, veil == "veiled")
                title = f"{name}, {veil}, {width} x {height}"
                result[title] = (
                    _scattered(rng, palette, width, height),
                    _scattered(rng, palette, width, height),
                )
    return result


def _palette(rng: random.Random, colors: int, veiled: bool) -> Pixels:  # noqa: FBT001 - Internal.
    entries = [[rng.randrange(256) for _ in range(4)] for _ in range(colors)]
    palette = np.array(entries, np.uint8)
    if not veiled:
        palette[:, 3] = 255
    return palette


def _scattered(rng: random.Random, palette: Pixels, width: int, height: int) -> Pixels:
    """Draw short runs of colors, so that some neighbors are equal and some are not."""
    picked: list[int] = []
    while len(picked) < width * height:
        picked += [rng.randrange(len(palette))] * rng.randrange(1, 6)
    return palette[np.array(picked[: width * height]).reshape(height, width)]


def _discs(
    shift: float, alpha: int = 255, paper: tuple[int, int, int, int] = (255, 255, 255, 255)
) -> Pixels:
    """Draw rings with smooth edges, as a browser draws round corners and letters."""
    pixels = np.empty((64, 80, 4), np.uint8)
    for y in range(64):
        for x in range(80):
            away = math.dist((x, y), (38 + shift, 31))
            cover = max(0.0, min(1.0, 24.5 - away)) * max(0.0, min(1.0, away - 11.5))
            ink = (20, 60, 160, alpha)
            pixels[y, x] = [
                math.floor(ink[c] * cover + paper[c] * (1 - cover) + 0.5) for c in range(4)
            ]
    return pixels


def _gradient(shift: int) -> Pixels:
    y, x = np.mgrid[0:48, 0:48]
    planes = (x * 5, y * 5, (x + y + shift) * 2, np.full_like(x, 255))
    return np.stack(planes, axis=2).astype(np.uint8)


@st.composite
def image_pairs(draw: st.DrawFn, side: int = 12) -> Pair:
    """Draw two small images of one size with few colors, so that slopes and flats are likely."""
    rng = random.Random(draw(st.integers(0, 10**9)))
    shape = draw(st.tuples(st.integers(1, side), st.integers(1, side)))
    alphas = draw(st.sampled_from(((255,), (255, 0), (255, 128, 3, 0), (254,))))
    spread = draw(st.sampled_from((255, 60, 8)))
    base = [rng.randrange(256 - spread) for _ in range(3)]
    colors = [
        [*(value + rng.randrange(spread + 1) for value in base), rng.choice(alphas)]
        for _ in range(draw(st.integers(2, 7)))
    ]
    before, after = np.empty((2, *shape, 4), np.uint8)
    for y in range(shape[0]):
        for x in range(shape[1]):
            before[y, x] = rng.choice(colors)
            after[y, x] = before[y, x] if rng.random() < 0.6 else rng.choice(colors)
    return before, after


Draw = Callable[[ImageDraw.ImageDraw], None]
WHITE, BLACK, GRAY, BLUE, ORANGE = "#ffffff", "#222222", "#d0d0d0", "#5282ff", "#ff8252"


def page(*parts: Draw, size: tuple[int, int] = (240, 160), paper: str = WHITE) -> bytes:
    """Return a PNG with all parts on paper."""
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    for part in parts:
        part(draw)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def rectangle(x: int, y: int, width: int, height: int, color: str = GRAY) -> Draw:
    return lambda draw: draw.rectangle((x, y, x + width - 1, y + height - 1), color)


def card(x: int, y: int, width: int, height: int, color: str = GRAY) -> Draw:
    """Return a function that paints a box with a border and something inside."""

    def paint(draw: ImageDraw.ImageDraw) -> None:
        draw.rectangle((x, y, x + width - 1, y + height - 1), color, BLACK)
        draw.rectangle((x + 8, y + 8, x + width // 2, y + 20), ORANGE)

    return paint


def text(x: int, y: int, words: str, color: str = BLACK, size: float = 14) -> Draw:
    return lambda draw: draw.text((x, y), words, color, ImageFont.load_default(size))


def dots(*places: tuple[int, int], color: str = BLACK) -> Draw:
    return lambda draw: draw.point(list(places), color)


def decode(data: bytes, limits: Limits = DEFAULT_LIMITS) -> npt.NDArray[np.uint8]:
    """Return the image as uint8 RGBA of shape (height, width, 4). Raises ImageError."""
    decoded = engine().decode(data, limits)
    flat: npt.NDArray[np.uint8] = np.frombuffer(decoded.pixels, np.uint8)
    return flat.reshape(decoded.height, decoded.width, 4)


def sign(marks: Marks) -> Signature:
    """Return the signature from an analysis."""
    return analyze(marks).signature
