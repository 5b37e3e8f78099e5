"""Kinds in a person's words: images, icons, borders, corners, blur, numbers, scrollbars."""

import random
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tests.support.case import Case
from tests.support.imagediff.defects import write_png
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.model import CHANGE_KINDS, Analysis, ChangeKind
from visual_review.imagediff.changes.shapes import refine_kind
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment

pytestmark = pytest.mark.usefixtures("each_engine")

Draw = Callable[[Image.Image], None]
SIZE = (320, 240)
INK, BLUE, TRACK, THUMB = "#1d2433", "#0b6e4f", "#fcfcfc", "#8b8b8b"


def draw_file(draw: Draw) -> bytes:
    image = Image.new("RGBA", SIZE, "white")
    draw(image)
    return write_png(np.asarray(image))


def changed(before: Draw, after: Draw) -> Analysis:
    return analyze(compare_with_marks(draw_file(before), draw_file(after))[1])


def nothing(_: Image.Image) -> None:
    """Leave the page unchanged."""


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


def boxed(color: str) -> Draw:
    """Return a button of 20 px with an icon, and a border, perhaps in the color of the page."""

    def draw(image: Image.Image) -> None:
        canvas = ImageDraw.Draw(image)
        canvas.rectangle((40, 60, 59, 79), outline=color, width=1)
        canvas.ellipse((46, 66, 53, 73), INK)

    return draw


def card(ring: str = "#f6f6f6") -> Draw:
    """Return a low card with a text; the card's color is not the page's."""

    def draw(image: Image.Image) -> None:
        canvas = ImageDraw.Draw(image)
        canvas.rounded_rectangle((32, 54, 150, 79), 4, "#f6f6f6", ring, 2)
        canvas.text((45, 58), "Toggle popup", INK, ImageFont.load_default(14))

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
    "a round ring on a card": (card(), card(ring="#1f6feb"), "border", "border appeared"),
    "no border of a card": (card(ring="#87909d"), card(), "border", "border vanished"),
    "no border of a small button": (boxed("#87909d"), boxed("white"), "border", "border vanished"),
    "square corners": (button(8), button(0), "corners", "corners changed"),
    "another number": (text("5,587.57"), text("5,981.57"), "text", "number"),
    "another word": (text("Shipping"), text("Invoices"), "text", "text"),
    "a longer page": (scrolled(120), scrolled(90), "scrollbar", "scrollbar changed"),
}


def test_every_kind_has_an_entry_in_the_order_of_the_published_list() -> None:
    assert tuple(CHANGE_KINDS) == get_args(ChangeKind)


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


def test_the_lost_border_of_an_icon_replaces_no_icon() -> None:
    def pill(border: str) -> Draw:
        def draw(image: Image.Image) -> None:
            large = Image.new("RGBA", (4 * 24, 4 * 24), BLUE)
            canvas = ImageDraw.Draw(large)
            canvas.ellipse((2, 2, 93, 93), "#f4f4f4", border, 6)
            for step in range(40):
                shade = 6 * step
                canvas.line((28 + step, 28, 28 + step, 68), (shade, 255 - shade, shade // 2))
            image.paste(large.resize((24, 24), Image.Resampling.BOX), (60, 60))

        return draw

    assert "icon replaced" not in changed(pill("#87909d"), pill("#f4f4f4")).summary


def test_a_single_pixel_is_no_area_that_vanished() -> None:
    def dotted(image: Image.Image) -> None:
        image.paste("black", (200, 120, 201, 121))

    marks = compare_with_marks(draw_file(dotted), draw_file(nothing))[1]
    box = Box(200, 120, 1, 1)
    alignment = Alignment((), marks.mask, 1, (box,))
    features = marks.pair.measure(marks.mask, box)
    assert refine_kind(marks, alignment, "vanished", features, box) == "noise"


def test_four_icons_in_a_square_are_no_corners() -> None:
    def icons(size: int) -> Draw:
        def draw(image: Image.Image) -> None:
            for x in (40, 120):
                for y in (40, 100):
                    ImageDraw.Draw(image).rectangle((x, y, x + size, y + size), INK)

        return draw

    assert changed(nothing, icons(10)).kind == "appeared"
