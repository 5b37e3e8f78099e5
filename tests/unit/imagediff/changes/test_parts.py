"""Parts of drawn changes: recognized elsewhere as the same part, or not."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.support.imagediff.defects import write_png as encode
from tests.support.imagediff.engines import available_engines
from tests.support.imagediff.images import sign
from visual_review.imagediff.changes.grouping import ChangedScreenshot, group_changes
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Signature
from visual_review.imagediff.changes.parts import signature_from_json, signature_to_json
from visual_review.imagediff.changes.structures import changed_alike
from visual_review.imagediff.model import DEFAULT_LIMITS, DEFAULT_OPTIONS

Draw = Callable[[ImageDraw.ImageDraw], None]
Place = tuple[int, int]
PLACES: tuple[Place, ...] = ((20, 20), (71, 33), (140, 90))
SIZE = (240, 160)


def signature_of(before: Draw, after: Draw) -> Signature:
    """Return the signature after storing; all engines agree on the signature."""
    images = []
    for draw in (before, after):
        image = Image.new("RGBA", SIZE, (255, 255, 255, 255))
        draw(ImageDraw.Draw(image))
        images.append(encode(np.asarray(image)))
    first, *others = (
        sign(engine.mark(images[0], images[1], DEFAULT_OPTIONS, DEFAULT_LIMITS))
        for engine in available_engines()
    )
    assert all(other == first for other in others)
    stored = signature_from_json(json.loads(json.dumps(signature_to_json(first))))
    assert stored == first
    return stored


def are_grouped(*signatures: Signature) -> bool:
    """Return whether screenshots of different stories with the given changes are one group."""
    shots = [
        ChangedScreenshot(
            *(f"{index}", f"family {index}", f"story {index}", "desktop", SIZE, SIZE),
            replace(NOTHING_CHANGED, kind="text", signature=signature),
        )
        for index, signature in enumerate(signatures)
    ]
    return len(group_changes(shots)) == 1


def label(text: str, *places: Place, ink: str = "black", fill: str = "#eeeeee") -> Draw:
    def draw(canvas: ImageDraw.ImageDraw) -> None:
        for x, y in places:
            canvas.rectangle((x - 5, y - 5, x + 60, y + 20), fill=fill)
            canvas.text((x, y), text, fill=ink)

    return draw


def test_the_same_change_elsewhere_is_the_same() -> None:
    one, two = (
        signature_of(label("Open", place), label("Close", place))
        for place in (PLACES[0], PLACES[1])
    )
    assert are_grouped(one, two)


def test_how_often_it_is_there_does_not_matter() -> None:
    once = signature_of(label("Open", PLACES[0]), label("Close", PLACES[0]))
    assert are_grouped(once, signature_of(label("Open", *PLACES), label("Close", *PLACES)))


@pytest.mark.parametrize(
    "after",
    [
        label("Clos", *PLACES),
        label("", *PLACES),
        label("Close", *PLACES, ink="#999999"),
        label("Close", *PLACES, fill="#ffeecc"),
        label("Close", *PLACES[:2]),
    ],
    ids=["truncated", "vanished", "low contrast", "other background", "one is missing"],
)
def test_another_change_is_another(after: Draw) -> None:
    intended = signature_of(label("Open", *PLACES), label("Close", *PLACES))
    assert not are_grouped(intended, signature_of(label("Open", *PLACES), after))


def test_a_color_of_the_same_lightness_is_another_one() -> None:
    blue = signature_of(label("Open", PLACES[0]), label("Open", PLACES[0], fill="#5282ff"))
    orange = signature_of(label("Open", PLACES[0]), label("Open", PLACES[0], fill="#ff8252"))
    assert not are_grouped(blue, orange)


def test_an_element_that_only_another_color_differs_in_is_recolored() -> None:
    def button(text: str, fill: str, ink: str = "white") -> Draw:
        return label(text, PLACES[0], ink=ink, fill=fill)

    found = [
        signature_of(button(text, "#0b6e4f"), button(text, "#7a1f5c"))
        for text in ("Save", "Cancel", "Publish")
    ]
    assert all(
        part.recolored == ("#0b6e4f", "#7a1f5c") for each in found for part in each.parts or ()
    )
    assert are_grouped(*found)
    # Another change of the text, or a new element.
    other = signature_of(button("Save", "#0b6e4f"), button("Send", "#7a1f5c"))
    new = signature_of(lambda _: None, button("", "#7a1f5c"))
    for signature in (other, new):
        assert signature.parts
        assert all(part.recolored is None for part in signature.parts)
        assert not are_grouped(*found, signature)


def page(header: int, text: str) -> Draw:
    def draw(canvas: ImageDraw.ImageDraw) -> None:
        canvas.rectangle((0, 0, 239, header), fill="#24292f")
        canvas.text((10, 4), "Home   Docs", fill="white")
        for line, words in enumerate((text, text[::-1], text.upper())):
            canvas.text((10, header + 20 + 18 * line), words, fill="black")

    return draw


def test_pages_that_moved_by_the_same_have_nothing_else() -> None:
    texts = ("Pricing", "Questions", "Imprint")
    found = [signature_of(page(24, text), page(40, text)) for text in texts]
    assert [[(each.offset.x, each.offset.y) for each in one.moves] for one in found] == [
        [(0, 16)]
    ] * 3
    assert are_grouped(*found)
    further = signature_of(page(24, "Pricing"), page(44, "Pricing"))
    assert not are_grouped(*found, further)


def test_a_change_besides_a_move_is_a_part_of_its_own() -> None:
    texts = ("Pricing", "Questions", "Imprint")
    found = [signature_of(page(24, text), page(40, text)) for text in texts]

    def with_label(canvas: ImageDraw.ImageDraw) -> None:
        page(40, "Pricing")(canvas)
        canvas.text((150, 130), "undefined", fill="black")

    assert not are_grouped(*found, signature_of(page(24, "Pricing"), with_label))


def test_a_faint_change_of_moved_content_is_a_part_of_its_own() -> None:
    def listed(header: int, text: str, fill: str) -> Draw:
        def draw(canvas: ImageDraw.ImageDraw) -> None:
            canvas.rectangle((0, 0, 239, header), fill="#24292f")
            for line in range(8):
                top = header + 6 + 14 * line
                canvas.text((4, top), f"{line} {text} {line * 7} {text[::-1]}", fill="black")
                canvas.text((200, top), text[line % len(text) :], fill="black")
            canvas.rectangle((150, header + 20, 189, header + 70), fill=fill)

        return draw

    def moved(text: str, fill: str = "#fdecc8") -> Signature:
        return signature_of(listed(10, text, "#fdecc8"), listed(17, text, fill))

    found = [moved(text) for text in ("Pricing", "Questions", "Imprint")]
    assert are_grouped(*found)
    assert not are_grouped(*found, moved("Conditions", "#f6e9cc"))


def test_text_that_moved_by_a_pixel_as_well_is_another_change() -> None:
    def words(text: str, fill: str, down: int) -> Draw:
        def draw(canvas: ImageDraw.ImageDraw) -> None:
            canvas.rectangle((10, 10, 100, 40), fill=fill)
            canvas.text((20, 20 + down), text, fill="black")

        return draw

    before = words("Orders", "#eeeeee", 0)
    same, other = (signature_of(before, words("Ordered", "#eeeeee", down)) for down in (0, 1))
    assert are_grouped(same, same)
    assert not are_grouped(same, other)


def test_what_moved_below_the_edge_is_not_lost() -> None:
    def long(header: int, text: str) -> Draw:
        def draw(canvas: ImageDraw.ImageDraw) -> None:
            page(header, text)(canvas)
            for line in range(10):
                canvas.text((10, header + 80 + 14 * line), f"{text} {line}", fill="black")

        return draw

    found = [signature_of(long(24, text), long(40, text)) for text in ("Pricing", "Terms", "FAQ")]
    assert are_grouped(*found)


def test_more_parts_than_are_kept_are_compared_as_one() -> None:
    def dots(shift: int, last: str) -> Draw:
        def draw(canvas: ImageDraw.ImageDraw) -> None:
            for number in range(260):
                x, y = number % 20 * 12, number // 20 * 12
                fill = last if number == 259 else (20, number % 250, 40)
                canvas.rectangle((x + shift, y, x + shift + 2, y + 2 + number % 3), fill=fill)

        return draw

    one, other = (signature_of(dots(0, "black"), dots(3, last)) for last in ("red", "blue"))
    assert are_grouped(one, one, one)
    assert not are_grouped(one, one, one, other)


Word = tuple[int, str, str]
# Page, card, text, weak text and accent of each theme; the light card is white on white.
LIGHT = {
    "page": "#ffffff",
    "card": "#ffffff",
    "text": "#262326",
    "weak": "#8c8c8c",
    "red": "#e0283c",
}
DARK = {
    "page": "#221d22",
    "card": "#3a343a",
    "text": "#e0dfe0",
    "weak": "#8a868a",
    "red": "#e54a5a",
}
BEFORE = [(30, "First item", "text"), (60, "Second item", "weak"), (90, "Delete", "red")]
MOVED = [(34, "First item", "text"), (70, "Second item", "weak"), (106, "Delete", "red")]


def draw(colors: dict[str, str], words: list[Word], bottom: int) -> bytes:
    image = Image.new("RGBA", (200, 180), colors["page"])
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((15, 20, 180, bottom), fill=colors["card"])
    font = ImageFont.load_default(15)
    for y, word, color in words:
        canvas.text((28, y), word, fill=colors.get(color, color), font=font)
    return encode(np.asarray(image))


def structure_of(colors: dict[str, str], after: list[Word]) -> str:
    """Return the structure; all engines agree on the structure."""
    images = (draw(colors, BEFORE, 120), draw(colors, after, 136))
    found = {
        sign(engine.mark(*images, DEFAULT_OPTIONS, DEFAULT_LIMITS)).structure
        for engine in available_engines()
    }
    assert len(found) == 1
    return found.pop()


def test_the_same_move_in_light_and_dark_is_alike() -> None:
    light, dark = structure_of(LIGHT, MOVED), structure_of(DARK, MOVED)
    assert light
    assert changed_alike(light, dark)
    assert changed_alike(dark, light)


@pytest.mark.parametrize(
    "after",
    [
        MOVED[:2],
        [*MOVED[:2], (106, "Dele", "red")],
        [*MOVED[:2], (111, "Delete", "red")],
        [MOVED[0], (70, "Second item", "#d8d8d8"), MOVED[2]],
        [*MOVED[:2], (106, "Delete", "#3c28e0")],
        [*MOVED, (140, "undefined", "text")],
    ],
    ids=["vanished", "truncated", "other place", "low contrast", "swapped colors", "stray label"],
)
def test_a_defect_in_one_theme_is_not_alike(after: list[Word]) -> None:
    dark = structure_of(DARK, MOVED)
    assert not changed_alike(structure_of(LIGHT, after), dark)


def test_without_shapes_nothing_is_alike() -> None:
    assert not changed_alike("", "")
    assert not changed_alike("", structure_of(DARK, MOVED))
