"""What was captured before the theme was found counts only if the guess was right."""

from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from visual_review.client.capture import (
    CaptureSettings,
    Shot,
    Story,
    Variant,
    read_stories,
)
from visual_review.client.capture.run import EarlyShots, LightGuess, capture
from visual_review.client.capture.schedule import FEWEST_IMAGES
from visual_review.client.capture.themes import ThemeSetting

EXAMPLE = Path(__file__).parents[3] / "examples/storybook/storybook-static"
RIGHT = ThemeSetting("global", "theme", "light", "dark")
WRONG = ThemeSetting("global", "theme", "dark", "light")
DEVICES = ("phone", "tablet", "desktop")


def choose_stories() -> list[Story]:
    stories = [each for each in read_stories(EXAMPLE) if not each.id.startswith("broken--")]
    return stories[: FEWEST_IMAGES // len(DEVICES) + 1]


def is_light(shot: Shot) -> bool:
    assert shot.png is not None, shot.error
    red, green, blue = Image.open(BytesIO(shot.png)).convert("RGB").resize((1, 1)).getpixel((0, 0))  # type: ignore[misc] -- Three numbers in this mode.
    return bool(min(red, green, blue) > 128)


@pytest.mark.parametrize("guess", [RIGHT, WRONG], ids=["right", "wrong"])
def test_early_images_are_kept_only_with_the_right_guess(
    guess: ThemeSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessing, release, drop = LightGuess.guess, EarlyShots.release, EarlyShots.drop
    early: list[bool] = []

    async def count_released(reports: EarlyShots) -> None:
        early.append(True)
        await release(reports)

    def count_dropped(reports: EarlyShots) -> None:
        early.append(False)
        drop(reports)

    monkeypatch.setattr(LightGuess, "guess", lambda self, _: guessing(self, guess))
    monkeypatch.setattr(EarlyShots, "release", count_released)
    monkeypatch.setattr(EarlyShots, "drop", count_dropped)
    stories, shots = choose_stories(), list[Shot]()
    variants = [Variant("light", device) for device in DEVICES]
    capture(EXAMPLE, variants, stories, CaptureSettings(workers=2), on_shot=shots.append)
    expected = [(story.id, variant) for story in stories for variant in variants]
    assert Counter((shot.story.id, shot.variant) for shot in shots) == Counter(expected)
    assert [shot.story.id for shot in shots if not is_light(shot)] == []
    assert early == [guess is RIGHT]
