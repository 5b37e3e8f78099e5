"""Kinds that a person would name: images, icons, borders, corners, blur, numbers, scrollbars."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tests.support.case import Case
from tests.support.imagediff.defects import write_png
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.model import Analysis

pytestmark = pytest.mark.usefixtures("each_engine")

Draw = Callable[[Image.Image], None]
SIZE = (320, 240)
INK, BLUE, TRACK, THUMB = "#1d2433", "#0b6e4f", "#fcfcfc", "#8b8b8b"


def changed(before: Draw, after: Draw) -> Analysis:
    images = []
    for draw in (before, after):
        image = Image.new("RGBA", SIZE, "white")
        draw(image)
        images.append(write_png(np.asarray(image)))
    return analyze(compare_with_marks(images[0], images[1])[1])


def nothing(_: Image.Image) -> None:
    """Leave the page as it is."""


def text(phrase: str, size: int = 15) -> Draw:
    def draw(image: Image.Image) -> None:
        ImageDraw.Draw(image).text((40, 60), phrase, INK, ImageFont.load_default(size))

    return draw


def button(radius: int, border: str = BLUE) -> Draw:
    def draw(image: Image.Image) -> None:
        # Drawn larger, so that corners are smooth.
        large = Image.new("RGBA", (4 * 140, 4 * 48), "white")
        box = (8, 8, 4 * 140 - 9, 4 * 48 - 9)
        ImageDraw.Draw(large).rounded_rectangle(box, 4 * radius, BLUE, border, 8)
        image.paste(large.resize((140, 48), Image.Resampling.BOX), (40, 80))

    return draw


def outlined(color: str) -> Draw:
    def draw(image: Image.Image) -> None:
        text("settings")(image)
        ImageDraw.Draw(image).rectangle((30, 50, 120, 90), outline=color, width=2)

    return draw


def photo(seed: int) -> Draw:
    def draw(image: Image.Image) -> None:
        rng = random.Random(seed)
        canvas = ImageDraw.Draw(image)
        for _ in range(300):
            x, y = rng.randrange(40, 240), rng.randrange(40, 180)
            color = tuple(rng.randrange(256) for _ in range(3))
            canvas.rectangle((x, y, x + 24, y + 18), fill=color)

    return draw


def icon(points: list[tuple[int, int]]) -> Draw:
    def draw(image: Image.Image) -> None:
        ImageDraw.Draw(image).polygon([(60 + x, 60 + y) for x, y in points], INK)

    return draw


def blurred(draw: Draw) -> Draw:
    def soft(image: Image.Image) -> None:
        draw(image)
        image.paste(image.filter(ImageFilter.GaussianBlur(1.5)))

    return soft


def scrolled(end: int) -> Draw:
    def draw(image: Image.Image) -> None:
        canvas = ImageDraw.Draw(image)
        canvas.rectangle((305, 0, 320, 240), TRACK)
        canvas.rectangle((308, 15, 316, end), THUMB)

    return draw


ARROW = [(0, 0), (24, 12), (0, 24)]
CROSS = [(8, 0), (16, 0), (16, 24), (8, 24)]
CASES: dict[str, tuple[Draw, Draw, str, str]] = {
    "another photo": (photo(1), photo(2), "image", "image changed"),
    "no photo": (photo(1), nothing, "vanished", "card vanished"),
    "another icon": (icon(ARROW), icon(CROSS), "image", "icon replaced"),
    "a blurred text": (
        text("archive reply archive"),
        blurred(text("archive reply archive")),
        *("blurred", "blurred"),
    ),
    "a focus ring": (text("settings"), outlined("#1f6feb"), "border", "border appeared"),
    "no border": (outlined("#87909d"), text("settings"), "border", "border vanished"),
    "square corners": (button(8), button(0), "corners", "corners changed"),
    "another number": (text("5,587.57"), text("5,981.57"), "text", "number"),
    "another word": (text("Shipping"), text("Invoices"), "text", "text"),
    "a longer page": (scrolled(120), scrolled(90), "scrollbar", "scrollbar changed"),
}


def test_changes_have_the_kind_that_a_person_would_name(case: Case) -> None:
    for name, (before, after, kind, phrase) in CASES.items():
        with case(name):
            found = changed(before, after)
            assert found.kind == kind
            assert found.summary.startswith(phrase)


def test_something_else_next_to_a_scrollbar_comes_first() -> None:
    def both(end: int, phrase: str) -> Draw:
        def draw(image: Image.Image) -> None:
            scrolled(end)(image)
            text(phrase)(image)

        return draw

    found = changed(both(120, "Shipping"), both(90, "Invoices"))
    assert [each.kind for each in found.changes] == ["text", "scrollbar"]
    assert "scrollbar" not in found.summary


def test_content_on_another_background_neither_vanished_nor_appeared() -> None:
    def dark(image: Image.Image) -> None:
        ImageDraw.Draw(image).rectangle((30, 50, 200, 90), "#1b1f27")

    found = changed(text("order draft"), dark)
    assert found.kind == "pixels"
    assert "became one color" in found.summary


def test_four_icons_in_a_square_are_no_corners() -> None:
    def icons(size: int) -> Draw:
        def draw(image: Image.Image) -> None:
            for x in (40, 120):
                for y in (40, 100):
                    ImageDraw.Draw(image).rectangle((x, y, x + size, y + size), INK)

        return draw

    assert changed(nothing, icons(10)).kind == "appeared"
