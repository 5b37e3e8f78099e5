"""The drawn composite: small enough for everybody, panels in their order, text that holds still."""

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
from visual_review.imagediff import Box, BrokenImageError, compare_and_draw, probe
from visual_review.imagediff.arrangement import HEADING, LONGEST_SIDE, MOST_PIXELS, PADDING
from visual_review.imagediff.composite import EDGE, GROUND, draw_composite
from visual_review.imagediff.composite_plan import Panel, Plan, plan_composite
from visual_review.imagediff.encoding import MOST_BYTES, RenderedImage, encode
from visual_review.imagediff.labels import drawable, fitting

Pixels = npt.NDArray[np.uint8]
NAMES = ("Before", "After", "Difference")
HEADING_TEXT = ("Button / Primary", "button--primary, light, desktop: changed, 2.34 %")


def flat(width: int, height: int, color: Sequence[int]) -> Pixels:
    return np.full((height, width, 4), (*color, 255), np.uint8)


def noise(width: int, height: int, seed: int = 1) -> Pixels:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[:, :, 3] = 255
    return pixels


def planned(pictures: Sequence[Pixels], *boxes: Box) -> Plan:
    panels = [
        Panel(name, picture.shape[1], picture.shape[0], marks=name == "Difference")
        for name, picture in zip(NAMES, pictures, strict=False)
    ]
    return plan_composite(panels, boxes)


def drawn(
    pictures: Sequence[Pixels], *boxes: Box, heading: tuple[str, str] = HEADING_TEXT
) -> RenderedImage:
    # A picture that stands in several panels is encoded once.
    encoded = {id(picture): png(picture) for picture in pictures}
    files = [encoded[id(picture)] for picture in pictures]
    plan = planned(pictures, *boxes)
    return draw_composite(plan, heading, giving(files))


def giving(files: Sequence[bytes]) -> list[Callable[[], bytes]]:
    return [partial(bytes, file) for file in files]


def pixels_of(made: RenderedImage) -> Pixels:
    picture = Image.open(io.BytesIO(made.data))
    assert picture.size == (made.width, made.height)
    assert f"image/{(picture.format or '').lower()}" == made.media_type
    return np.asarray(picture.convert("RGB"))


def at(pixels: Pixels, place: Box) -> Pixels:
    return pixels[place.y : place.y + place.height, place.x : place.x + place.width]


@settings(max_examples=rounds(8, 40))
@given(st.lists(st.tuples(st.integers(1, 700), st.integers(1, 700)), min_size=1, max_size=3))
def test_even_noise_of_any_size_fits(sizes: list[tuple[int, int]]) -> None:
    made = drawn([noise(*size, seed) for seed, size in enumerate(sizes)])
    assert len(made.data) <= MOST_BYTES
    assert max(pixels_of(made).shape) <= LONGEST_SIDE


def test_large_pictures_fit(case: Case) -> None:
    for size in ((1440, 900), (390, 3000), (1200, 1200), (32_000, 30)):
        with case(size):
            picture = noise(*size)
            made = drawn([picture, picture, picture])
            assert len(made.data) <= MOST_BYTES
            assert max(pixels_of(made).shape) <= LONGEST_SIDE


def test_noise_at_the_largest_size_becomes_a_jpeg_of_that_size() -> None:
    picture = Image.fromarray(noise(LONGEST_SIDE, MOST_PIXELS // LONGEST_SIDE)[:, :, :3])
    made = encode(picture)
    assert made.media_type == "image/jpeg"
    assert (made.width, made.height) == picture.size
    assert len(made.data) <= MOST_BYTES


def test_each_panel_shows_its_picture_in_order() -> None:
    colors = ((200, 0, 0), (0, 150, 0), (0, 0, 250))
    pictures = [flat(300, 200, color) for color in colors]
    places = planned(pictures).arrangement.places[0]
    pixels = pixels_of(drawn(pictures))
    for place, color in zip(places, colors, strict=True):
        assert (at(pixels, place.picture) == color).all()
        # There is text in every label, and nothing else.
        assert (at(pixels, place.label) == GROUND).all(axis=2).any()
        assert (at(pixels, place.label).sum(axis=2) < 150).any()
    assert [place.picture.x for place in places] == [14, 326, 638]


def test_only_the_crop_is_shown() -> None:
    before, after = flat(1000, 1000, (255, 255, 255)), flat(1000, 1000, (255, 255, 255))
    before[:300] = (1, 2, 3, 255)
    after[600:620, 500:540] = (9, 9, 9, 255)
    box = Box(500, 600, 40, 20)
    plan = planned([before, after], box)
    pixels = pixels_of(drawn([before, after], box))
    first, second = (at(pixels, place.picture) for place in plan.arrangement.places[0])
    assert (first == 255).all()
    assert (second == 9).all(axis=2).sum() == 40 * 20 * plan.arrangement.scale**2


def test_where_a_picture_ends_its_panel_is_neither_picture_nor_ground() -> None:
    pictures = [flat(100, 100, (0, 0, 0)), flat(100, 180, (0, 0, 0))]
    plan = planned(pictures)
    pixels = pixels_of(drawn(pictures))
    first, second = (at(pixels, place.picture) for place in plan.arrangement.places[0])
    scale = int(plan.arrangement.scale)
    assert (first[: 100 * scale] == 0).all()
    beyond = first[100 * scale :]
    assert not (beyond == 0).all(axis=2).any()
    assert not (beyond == GROUND).all(axis=2).any()
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
    picture = flat(300, 200, (255, 255, 255))
    plain = drawn([picture], heading=("", ""))
    for text in HOSTILE:
        with case(repr(text)[:20]):
            hostile = drawn([picture], heading=(text, text))
            assert (plain.width, plain.height) == (hostile.width, hostile.height)
            differing = np.argwhere((pixels_of(plain) != pixels_of(hostile)).any(axis=2))
            if differing.size:
                assert differing[:, 0].max() < PADDING + HEADING
                assert differing[:, 1].min() >= PADDING
                assert differing[:, 1].max() < plain.width - PADDING


@given(st.text(), st.integers(1, 400))
def test_text_is_printable_and_cut_to_its_width(text: str, width: int) -> None:
    line = drawable(text)
    assert line.isprintable()
    assert len(line) <= 300
    short = fitting(text, 16, width)
    assert short == line or (short.endswith("…") and line.startswith(short[:-1]))


def test_letters_the_font_lacks_lose_their_accents_or_become_squares() -> None:
    assert drawable("Überschrift: Größe 日本") == "Uberschrift: Gro□e □□"


def test_an_edge_surrounds_every_panel() -> None:
    picture = flat(300, 200, (255, 255, 255))
    pixels = pixels_of(drawn([picture, picture]))
    for place in planned([picture, picture]).arrangement.places[0]:
        spot = place.picture
        assert (pixels[spot.y - 1, spot.x : spot.x + spot.width] == EDGE).all()
        assert (pixels[spot.y : spot.y + spot.height, spot.x - 1] == EDGE).all()


def test_a_damaged_picture_is_refused() -> None:
    data = bytearray(png(noise(60, 60)))
    data[300] ^= 0xFF
    plan = plan_composite([Panel("After", 60, 60)])
    with pytest.raises(BrokenImageError):
        draw_composite(plan, HEADING_TEXT, giving([bytes(data)]))


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
        compared = compare_and_draw(pair.before, pair.after)
        assert not compared.verdict.equal
        files = (pair.before, pair.after, compared.picture)
        infos = [probe(file) for file in files]
        panels = [
            Panel(name, info.width, info.height, marks=name == "Difference")
            for name, info in zip(NAMES, infos, strict=True)
        ]
        plan = plan_composite(panels, compared.verdict.boxes)
        made = draw_composite(plan, HEADING_TEXT, giving(files))
        assert len(made.data) <= MOST_BYTES
        assert plan.complete, pair.name
        shown = pixels_of(made)
        marks = [at(shown, row[2].picture) for row in plan.arrangement.places]
        assert any(((mark[:, :, 0] > 150) & (mark[:, :, 1] < 60)).any() for mark in marks)
