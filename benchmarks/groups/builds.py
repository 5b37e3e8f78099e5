"""Builds to group: screenshots before and after real commits, and pages with another header."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scripts.setup_steps import SAMPLES
from tests.support.imagediff.defects import read_pixels, write_png
from tests.support.imagediff.elements import Pixels

from visual_review.client.comparing.outcomes import parse_name
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.grouping import ChangedScreenshot
from visual_review.imagediff.model import Box

PAIRS: Final = SAMPLES / "pairs"
REAL: Final = ("gravity-menu", "gravity-layout")
# Builds made of unchanged pages: the height of the header, before and after.
HEADERS: Final = {"another header": (48, 48), "taller header": (48, 64)}
HEADER_WIDTH: Final = 320
# Headers of one build, before and after: links, and the color behind them.
LINKS: Final = (("Home   Docs   Pricing", "Home   Docs   Plans   Help"), ("#24292f", "#24292f"))


@dataclass(frozen=True)
class Shot:
    """Two images of one screenshot; ``boxes`` are the places of the differences."""

    name: str
    before: bytes
    after: bytes
    changed: ChangedScreenshot
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class BuildOfShots:
    """All changes of one build."""

    name: str
    shots: tuple[Shot, ...]


def is_available() -> bool:
    return all((PAIRS / name).is_dir() for name in REAL)


def load_builds() -> Iterator[BuildOfShots]:
    """Yield the real builds, then builds made of the pages unchanged in the real ones."""
    equal: list[tuple[str, bytes]] = []
    for folder in REAL:
        shots = []
        for name, before, after in _read_pairs(folder):
            if before == after:
                equal.append((name, before))
            elif (shot := make_shot(name, before, after)) is not None:
                shots.append(shot)
        yield BuildOfShots(folder, tuple(shots))
    for name, heights in HEADERS.items():
        yield BuildOfShots(name, tuple(_add_headers(equal, heights)))


def make_shot(name: str, before: bytes, after: bytes) -> Shot | None:
    """Compare both images and analyze the change; None if nothing changed."""
    _, marks = compare_with_marks(before, after)
    analysis = analyze(marks)
    if analysis.kind is None:
        return None
    parts = parse_name(name)
    changed = ChangedScreenshot(
        *(name, parts.family, parts.story, parts.device),
        *(marks.before, marks.after, analysis),
    )
    return Shot(name, before, after, changed, marks.boxes)


def _read_pairs(folder: str) -> Iterator[tuple[str, bytes, bytes]]:
    before, after = (PAIRS / folder / side for side in ("before", "after"))
    for path in sorted(after.rglob("*.png")):
        name = path.relative_to(after)
        if (before / name).is_file():
            yield _shorten(name), (before / name).read_bytes(), path.read_bytes()


def _shorten(name: Path) -> str:
    """Return the component's folder and the file, unique to each screenshot."""
    component = name.parent.parent.parent.name
    return f"{component}/{name.name}"


def _add_headers(pages: Sequence[tuple[str, bytes]], heights: tuple[int, int]) -> Iterator[Shot]:
    for name, page in pages:
        pixels = read_pixels(page)
        # In a narrower page the edge would truncate the header, like a defect.
        if pixels.shape[1] < HEADER_WIDTH:
            continue
        sides = (
            write_png(np.vstack([_draw_header(pixels, index, heights[index]), pixels]))
            for index in (0, 1)
        )
        if (shot := make_shot(name, *sides)) is not None:
            yield shot


def _draw_header(page: Pixels, index: int, height: int) -> Pixels:
    image = Image.new("RGBA", (page.shape[1], height), LINKS[1][index])
    font = ImageFont.load_default(15)
    ImageDraw.Draw(image).text((16, 14), LINKS[0][index], "#ffffff", font)
    return np.asarray(image)


def choose(shots: Sequence[Shot], share: float, rng: random.Random) -> list[Shot]:
    """Return some of the screenshots in random order, at least one."""
    return rng.sample(list(shots), max(1, round(share * len(shots))))
