"""A browser with 2 % of a core captures the same images, in the same themes, as an idle one."""

from pathlib import Path

import pytest

from tests.support.starvation import starved_browsers
from tests.support.themed_storybooks import build_themed
from visual_review.client.capture import CaptureSettings, Shot, Variant, read_stories
from visual_review.client.capture.run import capture

pytestmark = pytest.mark.deep

BOTH = (Variant("light", "desktop"), Variant("dark", "desktop"))
WAYS = (
    *("addon-themes_class", "addon-themes_attribute", "dark-mode_classes", "dark-mode_event"),
    *("boolean_global", "style-rules", "preference"),
)
Images = dict[tuple[str, Variant], tuple[bytes | None, str | None]]


def capture_starved(folder: Path, share: float) -> tuple[str, Images]:
    """Return how the theme was switched, and each image with the reason for being unstable."""
    shots: list[Shot] = []
    with starved_browsers(share):
        report = capture(
            folder, BOTH, read_stories(folder), CaptureSettings(workers=1), shots.append
        )
    assert report.themes is not None
    images = {(shot.story.id, shot.variant): (shot.png, shot.unstable) for shot in shots}
    return report.themes.describe(), images


@pytest.mark.parametrize("way", WAYS)
def test_a_starved_browser_finds_the_same_theme(way: str, tmp_path: Path) -> None:
    folder = build_themed(way, tmp_path / "built")
    idle = capture_starved(folder, 1)
    assert capture_starved(folder, 0.02) == idle
