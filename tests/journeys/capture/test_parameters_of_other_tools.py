"""Parameters of Chromatic and storycap, in one capture of a Storybook with all of them."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.support.small_storybooks import copy_small_storybook
from visual_review.client.capture import (
    CaptureReport,
    CaptureSettings,
    Region,
    Shot,
    Variant,
    read_stories,
)
from visual_review.client.capture.run import capture
from visual_review.client.capture.themes import ThemeSetting
from visual_review.variants import DEVICES as VIEWPORTS
from visual_review.variants import THEMES, Theme

DEVICES = ("phone", "desktop")
GREEN, RED, BLUE, WHITE = (0, 128, 0), (255, 0, 0), (0, 0, 255), (255, 255, 255)
Shots = dict[tuple[str, str], Shot]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[CaptureReport, Shots]:
    shots: list[Shot] = []
    folder = tmp_path_factory.mktemp("parameters") / "storybook"
    storybook = copy_small_storybook("parameters", folder)
    variants = [Variant("light", "phone"), Variant("light", "desktop")]
    settings = CaptureSettings(workers=2, settle_timeout=1.5)
    report = capture(storybook, variants, None, settings, shots.append)
    assert len(shots) == report.shots_ok
    return report, {(shot.story.id, shot.variant.device): shot for shot in shots}


@pytest.fixture
def shots(captured: tuple[CaptureReport, Shots]) -> Shots:
    return captured[1]


def devices_of(shots: Shots, story: str) -> list[str]:
    return [device for device in DEVICES if (story, device) in shots]


def pixel(shot: Shot, place: tuple[int, int] = (25, 25)) -> object:
    return Image.open(BytesIO(shot.png or b"")).convert("RGB").getpixel(place)


def notes_of(shot: Shot) -> list[tuple[str, str]]:
    return sorted((note.kind, note.detail) for note in shot.notes)


def test_stories_are_skipped_as_their_parameters_say(captured: tuple[CaptureReport, Shots]) -> None:
    report, shots = captured
    assert not devices_of(shots, "skipped--by-chromatic")
    assert not devices_of(shots, "skipped--by-storycap")
    assert devices_of(shots, "skipped--but-ours-wins") == ["phone", "desktop"]
    # A skipped story that fails is no failure of the build, and its leftovers are gone.
    assert not devices_of(shots, "skipped--though-it-fails")
    assert pixel(shots["skipped--but-ours-wins", "phone"], (300, 300)) == WHITE
    # Three stories on both devices, and nine on the device they do not ask for.
    assert (report.skipped, report.failed) == (6 + 9, 0)


def test_widths_choose_the_nearest_of_the_captured_devices(shots: Shots) -> None:
    assert devices_of(shots, "widths--narrow") == ["phone"]
    assert devices_of(shots, "widths--several") == ["phone", "desktop"]
    assert devices_of(shots, "widths--of-storycap") == ["phone"]
    assert devices_of(shots, "widths--but-ours-wins") == ["desktop"]
    # The width counts, and touch does not.
    assert devices_of(shots, "widths--of-an-emulated-phone") == ["phone"]
    assert notes_of(shots["widths--of-an-emulated-phone", "phone"]) == [
        ("parameter", "screenshot.viewport (all but the width)")
    ]
    # A name of a device is not understood, so nothing is left out.
    assert devices_of(shots, "widths--with-a-name") == ["phone", "desktop"]
    assert notes_of(shots["widths--with-a-name", "phone"]) == [
        ("parameter", "screenshot.viewports (not a width in pixels)")
    ]


def test_thresholds_are_taken_over(shots: Shots) -> None:
    assert shots["compared--by-chromatic", "phone"].threshold == 0.2
    assert shots["compared--but-ours-wins", "phone"].threshold == 0.3
    assert shots["marked--all", "phone"].threshold is None


def test_marked_elements_are_regions_of_the_image(shots: Shots) -> None:
    shot = shots["marked--all", "phone"]
    assert set(shot.regions) == {
        Region(10, 20, 30, 40),
        Region(100, 0, 10, 10),
        Region(200, 0, 10, 10),
        Region(300, 0, 10, 10),
        Region(0, 500, 5, 10),
        Region(0, 600, 50, 20),
        Region(0, 1200, 20, 20),
        Region(250, 300, 10, 10),
    }
    assert notes_of(shot) == [("parameter", "chromatic.ignoreSelectors (?! is not a selector)")]
    assert shots["compared--by-chromatic", "phone"].regions == ()


def test_elements_in_frames_are_regions_where_the_page_shows_them(shots: Shots) -> None:
    assert set(shots["marked--in-frames", "phone"].regions) == {
        # Inside of the border and the padding of the frame; the frame hides everything beyond.
        Region(115, 225, 30, 40),
        Region(195, 205, 10, 10),
        # A frame in a frame of half its size.
        Region(12, 413, 5, 6),
    }


def test_animations_are_shown_at_the_first_frame_where_that_is_asked_for(shots: Shots) -> None:
    assert pixel(shots["animated--at-end", "phone"]) == BLUE
    assert pixel(shots["animated--at-start", "phone"]) == RED


def test_the_image_waits_for_what_the_story_waits_for(shots: Shots) -> None:
    for story in ("waiting--for-a-function", "waiting--for-a-name"):
        shot = shots[story, "desktop"]
        assert (pixel(shot), shot.unstable, shot.notes) == (GREEN, None, ())
    endless = shots["waiting--forever", "phone"]
    assert "what screenshot.waitFor waits for had not happened" in (endless.unstable or "")
    assert notes_of(shots["waiting--for-nothing", "phone"]) == [
        ("wait-for", "noFunction is not a function of the page")
    ]
    assert notes_of(shots["waiting--rejected", "phone"]) == [
        ("wait-for", "screenshot.waitFor failed: no data")
    ]


def test_media_are_emulated_for_the_stories_that_ask_for_them(shots: Shots) -> None:
    for device in DEVICES:
        for story in ("a-forced-colors", "c-reduced-motion", "d-print"):
            assert pixel(shots[f"media--{story}", device]) == BLUE
        for story in ("b-not-forced", "e-screen"):
            assert pixel(shots[f"media--{story}", device]) == GREEN


def test_images_end_with_the_viewport_where_that_is_asked_for(shots: Shots) -> None:
    for story in ("by-chromatic", "by-storycap"):
        shot = shots[f"cropped--{story}", "phone"]
        assert (shot.width, shot.height, shot.notes) == (*VIEWPORTS["phone"], ())


def test_the_pointer_does_what_a_story_asks_for_and_is_gone_for_the_next(shots: Shots) -> None:
    for device in DEVICES:
        for story in ("hover", "focus", "click"):
            assert pixel(shots[f"gestures--{story}", device]) == BLUE, story
        for story in ("none", "missing"):
            assert pixel(shots[f"gestures--{story}", device]) == GREEN, story
    assert notes_of(shots["gestures--missing", "phone"]) == [
        ("parameter", "screenshot.click (no element matches ?!)"),
        ("parameter", "screenshot.hover (no element matches .missing)"),
    ]


def test_an_image_shows_the_part_that_a_story_asks_for(shots: Shots) -> None:
    shot = shots["clipped--part", "phone"]
    assert (shot.width, shot.height) == (100, 30)
    assert (pixel(shot, (5, 5)), pixel(shot, (30, 5)), pixel(shot, (70, 10))) == (
        GREEN,
        WHITE,
        GREEN,
    )
    assert shot.regions == (Region(60, 5, 20, 10),)
    wrong = shots["clipped--wrong", "phone"]
    assert (wrong.width, wrong.height) == VIEWPORTS["phone"]
    assert notes_of(wrong) == [("parameter", "screenshot.clip (not a rectangle in pixels)")]


def test_stories_read_that_they_are_captured(shots: Shots) -> None:
    assert pixel(shots["flag--read", "phone"]) == GREEN


def test_widths_of_modes_and_globals_choose_devices(shots: Shots) -> None:
    assert devices_of(shots, "modes--narrow") == ["phone"]
    assert devices_of(shots, "modes--named") == ["desktop"]
    assert devices_of(shots, "globals--narrow") == ["phone"]
    assert devices_of(shots, "globals--unknown") == ["phone", "desktop"]
    assert notes_of(shots["globals--unknown", "phone"]) == [
        ("parameter", "globals.viewport (not a viewport that the project declares)")
    ]
    # The theme of this Storybook is not a global.
    for story in ("modes--dark", "modes--with-more"):
        assert devices_of(shots, story) == ["phone", "desktop"]
        assert notes_of(shots[story, "phone"]) == [
            ("parameter", "chromatic.modes (more than a theme and a width)")
        ]


def test_themes_of_modes_choose_the_theme(tmp_path: Path) -> None:
    storybook = copy_small_storybook("parameters", tmp_path / "storybook")
    stories = [story for story in read_stories(storybook) if story.id == "modes--dark"]
    setting = ThemeSetting("global", "theme", "light", "dark")
    settings = CaptureSettings(workers=1, theme_candidates=(setting,))

    def captured_of(*themes: Theme) -> set[str]:
        variants = [Variant(theme, device) for theme in themes for device in ("phone", "desktop")]
        shots: list[Shot] = []
        capture(storybook, variants, stories, settings, shots.append)
        return {str(shot.variant) for shot in shots}

    assert captured_of(*THEMES) == {"light-phone", "dark-phone", "dark-desktop"}
    # The dark mode stands for the captured theme; otherwise the story could have no image.
    assert captured_of("light") == {"light-phone", "light-desktop"}


def test_parameters_without_effect_are_named(shots: Shots) -> None:
    assert notes_of(shots["without-effect--all", "phone"]) == [
        ("parameter", "chromatic.modes (more than a theme and a width)"),
        ("parameter", "screenshot.variants"),
    ]
