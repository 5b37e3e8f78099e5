"""The theme is found and captured in Storybooks built with the real add-ons."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.support.themed_storybooks import build_themed
from visual_review.client.capture import CaptureReport, Shot, Variant
from visual_review.client.capture.run import capture
from visual_review.variants import Theme

pytestmark = pytest.mark.deep

BOTH = (Variant("light", "desktop"), Variant("dark", "desktop"))
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
FOUND = {
    "addon-themes_class": "global `theme` = Night, proved on 1 of 1",
    "addon-themes_attribute": "global `theme` = dark, proved on 2 of 3",
    "dark-mode_classes": "the add-on storybook-dark-mode, proved on 1 of 1",
    "dark-mode_event": "the add-on storybook-dark-mode, proved on 1 of 1",
    "boolean_global": "global `nightMode` = true, proved on 1 of 1",
    "style-rules": "attribute `data-theme` = dark on `html`, proved on 1 of 1",
    "preference": "prefers-color-scheme; 2 of 3 dark images differ",
}


def capture_all(folder: Path) -> tuple[CaptureReport, dict[tuple[str, Theme], Image.Image]]:
    shots: list[Shot] = []
    report = capture(folder, BOTH, on_shot=shots.append)
    images = {
        (shot.story.name, shot.variant.theme): Image.open(BytesIO(shot.png)).convert("RGB")
        for shot in shots
        if shot.png is not None
    }
    return report, images


def panel_color(image: Image.Image) -> object:
    # Inside of the panel's left edge, away from the text.
    return image.getpixel((22, 22))


@pytest.mark.parametrize("way", FOUND)
def test_the_dark_theme_is_found_and_captured(way: str, tmp_path: Path) -> None:
    report, images = capture_all(build_themed(way, tmp_path / "built"))
    assert report.themes is not None
    assert FOUND[way] in report.themes.describe()
    for story in ("First", "Second"):
        assert panel_color(images[story, "light"]) == WHITE
        assert panel_color(images[story, "dark"]) == BLACK
    assert images["Plain", "light"].tobytes() == images["Plain", "dark"].tobytes()


def test_what_only_looks_like_a_theme_is_none(tmp_path: Path) -> None:
    report, _ = capture_all(build_themed("nothing", tmp_path / "built"))
    assert report.theme_pairs.all_equal
    assert report.themes is not None
    assert report.themes.describe().startswith(
        "Dark theme: none was found; all dark images equal the light ones. Name the theme in "
    )
