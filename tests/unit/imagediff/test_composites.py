"""The rendered composite: its size, the order of its panels, and hostile text."""

import io
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.support.case import Case
from tests.support.depth import rounds
from tests.support.imagediff.png_writer import png
from tests.support.imagediff.shared_data import real_change, sample
from visual_review.imagediff import Box, BrokenImageError, compare_and_render, probe
from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.rendering.arrangement import (
    HEADING,
    LONGEST_SIDE,
    MOST_PIXELS,
    PADDING,
)
from visual_review.imagediff.rendering.composite import BACKGROUND, EDGE, render_composite
from visual_review.imagediff.rendering.composite_plan import Panel, Plan, plan_composite
from visual_review.imagediff.rendering.labels import fit_both_ends, fit_text, replace_undrawable
from visual_review.imagediff.rendering.outline_choice import MOVED_COLOR, SMALL_COLOR, PanelSide
from visual_review.imagediff.rendering.thumbnails import MOST_BYTES, RenderedImage, encode

Pixels = npt.NDArray[np.uint8]
SIDES: dict[str, PanelSide] = {"Before": "before", "After": "after", "Difference": "diff"}
HEADING_TEXT = ("Button / Primary", "button--primary, light, desktop: changed, 2.34 %")


def flat(width: int, height: int, color: Sequence[int]) -> Pixels:
    return np.full((height, width, 4), (*color, 255), np.uint8)


def noise(width: int, height: int, seed: int = 1) -> Pixels:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[:, :, 3] = 255
    return pixels


def plan_panels(images: Sequence[Pixels], *boxes: Box) -> Plan:
    panels = [
        Panel(name, image.shape[1], image.shape[0], side)
        for (name, side), image in zip(SIDES.items(), images, strict=False)
    ]
    return plan_composite(panels, boxes)


def render(
    images: Sequence[Pixels], *boxes: Box, heading: tuple[str, str] = HEADING_TEXT
) -> RenderedImage:
    # An image in several panels is encoded once.
    encoded = {id(image): png(image) for image in images}
    files = [encoded[id(image)] for image in images]
    plan = plan_panels(images, *boxes)
    return render_composite(plan, heading, loaders_of(files))


def loaders_of(files: Sequence[bytes]) -> list[Callable[[], bytes]]:
    return [partial(bytes, file) for file in files]


def pixels_of(made: RenderedImage) -> Pixels:
    image = Image.open(io.BytesIO(made.data))
    assert image.size == (made.width, made.height)
    assert f"image/{(image.format or '').lower()}" == made.media_type
    return np.asarray(image.convert("RGB"))


def at(pixels: Pixels, box: Box) -> Pixels:
    return pixels[box.y : box.y + box.height, box.x : box.x + box.width]


@settings(max_examples=rounds(8, 40))
@given(st.lists(st.tuples(st.integers(1, 700), st.integers(1, 700)), min_size=1, max_size=3))
def test_even_noise_of_any_size_fits(sizes: list[tuple[int, int]]) -> None:
    made = render([noise(*size, seed) for seed, size in enumerate(sizes)])
    assert len(made.data) <= MOST_BYTES
    assert max(pixels_of(made).shape) <= LONGEST_SIDE


def test_large_images_fit(case: Case) -> None:
    for size in ((1440, 900), (390, 3000), (1200, 1200), (32_000, 30)):
        with case(size):
            image = noise(*size)
            made = render([image, image, image])
            assert len(made.data) <= MOST_BYTES
            assert max(pixels_of(made).shape) <= LONGEST_SIDE


def test_noise_at_the_largest_size_becomes_a_jpeg_of_that_size() -> None:
    image = Image.fromarray(noise(LONGEST_SIDE, MOST_PIXELS // LONGEST_SIDE)[:, :, :3])
    made = encode(image)
    assert made.media_type == "image/jpeg"
    assert (made.width, made.height) == image.size
    assert len(made.data) <= MOST_BYTES


def test_each_panel_shows_its_image_in_order() -> None:
    colors = ((200, 0, 0), (0, 150, 0), (0, 0, 250))
    images = [flat(300, 200, color) for color in colors]
    layouts = plan_panels(images).arrangement.layouts[0]
    pixels = pixels_of(render(images))
    for layout, color in zip(layouts, colors, strict=True):
        assert (at(pixels, layout.image) == color).all()
        # Every label has text, and nothing else.
        assert (at(pixels, layout.label) == BACKGROUND).all(axis=2).any()
        assert (at(pixels, layout.label).sum(axis=2) < 150).any()
    assert [layout.image.x for layout in layouts] == [14, 326, 638]


def test_only_the_crop_is_shown() -> None:
    before, after = flat(1000, 1000, (255, 255, 255)), flat(1000, 1000, (255, 255, 255))
    before[:300] = (1, 2, 3, 255)
    after[600:620, 500:540] = (9, 9, 9, 255)
    box = Box(500, 600, 40, 20)
    plan = plan_panels([before, after], box)
    pixels = pixels_of(render([before, after], box))
    first, second = (at(pixels, layout.image) for layout in plan.arrangement.layouts[0])
    assert (first == 255).all()
    assert (second == 9).all(axis=2).sum() == 40 * 20 * plan.arrangement.scale**2


def test_the_rest_of_a_panel_looks_like_neither_image_nor_background() -> None:
    images = [flat(100, 100, (0, 0, 0)), flat(100, 180, (0, 0, 0))]
    plan = plan_panels(images)
    pixels = pixels_of(render(images))
    first, second = (at(pixels, layout.image) for layout in plan.arrangement.layouts[0])
    scale = int(plan.arrangement.scale)
    assert (first[: 100 * scale] == 0).all()
    beyond = first[100 * scale :]
    assert not (beyond == 0).all(axis=2).any()
    assert not (beyond == BACKGROUND).all(axis=2).any()
    assert (second == 0).all()


HOSTILE = [
    "x" * 100_000,
    "\x1b[31m\x00\x07 red \x9b0m",
    "\u202egnp.exe\u2066",
    "Z̐̅̈́" * 5000,
    "日本語のボタン Ünïcödé ☃ 👩‍👩‍👧‍👦",
    "line\nbreak\r\tand tab\u2028more",
    "<script>alert(1)</script>",
    "",
]


def test_hostile_names_stay_in_their_line(case: Case) -> None:
    image = flat(300, 200, (255, 255, 255))
    plain = render([image], heading=("", ""))
    for text in HOSTILE:
        with case(repr(text)[:20]):
            hostile = render([image], heading=(text, text))
            assert (plain.width, plain.height) == (hostile.width, hostile.height)
            differing = np.argwhere((pixels_of(plain) != pixels_of(hostile)).any(axis=2))
            if differing.size:
                assert differing[:, 0].max() < PADDING + HEADING
                assert differing[:, 1].min() >= PADDING
                assert differing[:, 1].max() < plain.width - PADDING


@given(st.text(), st.integers(1, 400))
def test_text_is_printable_and_truncated_to_its_width(text: str, width: int) -> None:
    line = replace_undrawable(text)
    assert line.isprintable()
    assert len(line) <= 300
    short = fit_text(text, 16, width)
    assert short == line or (short.endswith("…") and line.startswith(short[:-1]))


@given(st.text(), st.integers(1, 400))
def test_both_ends_of_a_title_are_kept(text: str, width: int) -> None:
    line, short = replace_undrawable(text), fit_both_ends(text, 16, width)
    if short != line:
        first, _, last = short.partition("…")
        assert line.startswith(first)
        assert line.endswith(last)


def test_letters_that_the_font_lacks_lose_accents_or_become_squares() -> None:
    assert replace_undrawable("Überschrift: Größe 日本") == "Uberschrift: Gro□e □□"


def test_an_edge_surrounds_every_panel() -> None:
    image = flat(300, 200, (255, 255, 255))
    pixels = pixels_of(render([image, image]))
    for layout in plan_panels([image, image]).arrangement.layouts[0]:
        box = layout.image
        assert (pixels[box.y - 1, box.x : box.x + box.width] == EDGE).all()
        assert (pixels[box.y : box.y + box.height, box.x - 1] == EDGE).all()


def shows(pixels: Pixels, color: Sequence[int]) -> int:
    return int((pixels == color).all(axis=2).sum())


def test_a_small_change_that_is_scaled_down_is_outlined_and_visible() -> None:
    before = flat(1440, 900, (20, 20, 20))
    after = before.copy()
    after[400:405, 700:704] = (250, 250, 250, 255)
    spread = (Box(700, 400, 4, 5), Box(10, 10, 1400, 880))
    plan = plan_panels([before, after], *spread)
    assert plan.arrangement.scale < 0.8
    pixels = pixels_of(render([before, after], *spread))
    panels = [at(pixels, layout.image) for layout in plan.arrangement.layouts[0]]
    assert all(shows(panel, SMALL_COLOR) > 50 for panel in panels)
    assert (panels[1].min(axis=2) > 120).any()


def test_moved_content_is_blue_in_the_difference_except_where_it_changed() -> None:
    before = flat(300, 200, (255, 255, 255))
    before[40:80, 20:120] = (0, 0, 0, 255)
    after = np.roll(before, 60, axis=0)
    after[110:114, 60:66] = (255, 0, 0, 255)
    compared = compare_and_render(png(before), png(after))
    changes = [
        Change("pixels", Box(60, 110, 6, 4), 24, "pixels differ"),
        Change("moved", Box(20, 100, 100, 40), 8000, "moved", Offset(0, 60)),
    ]
    panels = [Panel(name, 300, 200, side) for name, side in SIDES.items()]
    plan = plan_composite(panels, compared.verdict.boxes, changes)
    files = [png(before), png(after), compared.diff_image]
    pixels = pixels_of(render_composite(plan, HEADING_TEXT, loaders_of(files)))
    shown = [at(pixels, layout.image) for layout in plan.arrangement.layouts[0]]
    crop, scale = plan.crops[0], int(plan.arrangement.scale)
    red, blue = shows(shown[2], (255, 0, 0)), shows(shown[2], MOVED_COLOR)
    assert red == 24 * scale**2
    # The visible part of moved content is no longer red.
    assert blue > 50 * scale**2
    assert crop.height * scale == len(shown[2])
    assert all(shows(panel, MOVED_COLOR) > 50 for panel in shown)


def test_a_damaged_image_is_refused() -> None:
    data = bytearray(png(noise(60, 60)))
    data[300] ^= 0xFF
    plan = plan_composite([Panel("After", 60, 60)])
    with pytest.raises(BrokenImageError):
        render_composite(plan, HEADING_TEXT, loaders_of([bytes(data)]))


@pytest.mark.search
def test_every_real_pair_has_a_composite_that_shows_its_change() -> None:
    changes = [real_change(folder) for folder in ("gravity-layout", "gravity-menu")]
    pairs = [
        pair
        for kind, most in (("pixels", rounds(1, 15)), ("size", rounds(1, 5)))
        for change in changes
        for pair in sample(change.of_kind(kind), most)
    ]
    assert pairs
    for pair in pairs:
        compared = compare_and_render(pair.before, pair.after)
        assert not compared.verdict.equal
        files = (pair.before, pair.after, compared.diff_image)
        infos = [probe(file) for file in files]
        panels = [
            Panel(name, info.width, info.height, side)
            for (name, side), info in zip(SIDES.items(), infos, strict=True)
        ]
        plan = plan_composite(panels, compared.verdict.boxes)
        made = render_composite(plan, HEADING_TEXT, loaders_of(files))
        assert len(made.data) <= MOST_BYTES
        assert plan.complete, pair.name
        shown = pixels_of(made)
        marks = [at(shown, row[2].image) for row in plan.arrangement.layouts]
        assert any(((mark[:, :, 0] > 150) & (mark[:, :, 1] < 60)).any() for mark in marks)
