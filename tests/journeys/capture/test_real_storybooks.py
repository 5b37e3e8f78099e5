"""Captures Storybooks built by other projects, a few stories each.

Every run has each theme and each device; the deep run has every pair of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import pytest
from PIL import Image
from scripts.setup_steps import SAMPLES

from tests.support.depth import DEEP
from visual_review.client.capture import (
    ALL_VARIANTS,
    CaptureReport,
    CaptureSettings,
    Shot,
    Variant,
    read_stories,
)
from visual_review.client.capture.run import capture
from visual_review.variants import DEVICES

pytestmark = pytest.mark.search

VARIANTS = (
    ALL_VARIANTS
    if DEEP
    else (Variant("light", "phone"), Variant("dark", "tablet"), Variant("light", "desktop"))
)
# A second run must give the same pixels for these variants.
REPEATED = (Variant("dark", "phone"), Variant("light", "desktop")) if DEEP else VARIANTS[1:2]
DATA = SAMPLES / "storybooks"


@dataclass(frozen=True)
class Book:
    """A Storybook with the stories to capture; ``count`` is the number of all its stories."""

    folder: str
    count: int
    stories: tuple[str, ...]


BOOKS = (
    # Storybook 7 (webpack, index version 4), 8 (Vite, with play functions) and 9 (Vite).
    Book(
        "sveltestrap/before",
        169,
        ("stories-accordion--basic", "stories-carousel--basic", "stories-table--basic"),
    ),
    Book(
        "witchcraft-vue",
        108,
        (
            "mycomponents-components-libbutton--primary",
            "mycomponents-components-libnotifications-libnotification--without-title",
            "mycomponents-other-focus--primary",
        ),
    ),
    Book(
        "boosted-html",
        427,
        (
            "components-accordion--accordion-1",
            "components-listgroup--list-group-11",
            "components-modal--modal-1",
        ),
    ),
)
Shots = dict[tuple[str, Variant], Shot]


def capture_stories(
    book: Book, variants: Sequence[Variant], settings: CaptureSettings
) -> tuple[CaptureReport, Shots]:
    folder = DATA / book.folder
    stories = [story for story in read_stories(folder) if story.id in book.stories]
    shots: Shots = {}

    def add(shot: Shot) -> None:
        shots[shot.story.id, shot.variant] = shot

    return capture(folder, variants, stories, settings, add), shots


@pytest.fixture(scope="module", params=BOOKS, ids=lambda book: book.folder.split("/")[0])
def book(request: pytest.FixtureRequest) -> Book:
    chosen: Book = request.param
    if not (DATA / chosen.folder).is_dir():
        pytest.skip(f"the Storybook {chosen.folder} is not among the data ({DATA})")
    return chosen


@pytest.fixture(scope="module")
def captured(book: Book) -> tuple[CaptureReport, Shots]:
    return capture_stories(book, VARIANTS, CaptureSettings(workers=2))


def test_every_story_of_the_index_is_read(book: Book) -> None:
    stories = read_stories(DATA / book.folder)
    assert len(stories) == book.count
    assert set(book.stories) <= {story.id for story in stories}


def test_every_story_is_captured_in_every_variant(
    book: Book, captured: tuple[CaptureReport, Shots]
) -> None:
    report, shots = captured
    assert {key: shot.error for key, shot in shots.items() if shot.error} == {}
    assert set(shots) == {(story, variant) for story in book.stories for variant in VARIANTS}
    assert (report.shots_ok, report.failed) == (len(shots), 0)


def test_no_story_is_unstable(captured: tuple[CaptureReport, Shots]) -> None:
    assert {key: shot.unstable for key, shot in captured[1].items() if shot.unstable} == {}


def test_images_are_as_wide_as_the_device_and_at_least_as_high(
    captured: tuple[CaptureReport, Shots],
) -> None:
    for (_, variant), shot in captured[1].items():
        with Image.open(BytesIO(shot.png or b"")) as image:
            assert image.size == (shot.width, shot.height)
        assert shot.width == DEVICES[variant.device].width
        assert shot.height >= DEVICES[variant.device].height


def test_images_are_not_blank(captured: tuple[CaptureReport, Shots]) -> None:
    for key, shot in captured[1].items():
        image = Image.open(BytesIO(shot.png or b"")).convert("RGB")
        # None means more colors.
        assert image.getcolors(maxcolors=10) is None, key


def test_a_second_run_with_one_worker_gives_the_same_pixels(
    book: Book, captured: tuple[CaptureReport, Shots]
) -> None:
    _, again = capture_stories(book, REPEATED, CaptureSettings(workers=1))
    different = [key for key, shot in again.items() if shot.png != captured[1][key].png]
    assert len(again) == len(REPEATED) * len(book.stories)
    assert different == []


def test_the_renderer_is_reported(captured: tuple[CaptureReport, Shots]) -> None:
    renderer = captured[0].renderer
    assert renderer.version.split(".")[0].isdigit()
    assert "--disable-partial-raster" in renderer.flags
    assert not any("127.0.0.1" in flag for flag in renderer.flags)
