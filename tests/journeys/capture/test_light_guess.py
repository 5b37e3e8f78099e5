"""Images from before the theme was found count only if the guess was right."""

from collections import Counter
from dataclasses import replace
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
from visual_review.client.capture.themes import ThemeFinding, ThemeSetting

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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_way_that_is_known_gives_the_same_images_without_a_search(workers: int) -> None:
    stories = choose_stories()[:6]
    variants = [Variant("light", "desktop"), Variant("dark", "desktop"), Variant("dark", "phone")]
    settings = CaptureSettings(workers=workers).with_preview("same")

    def capture_images(
        settings: CaptureSettings,
    ) -> tuple[ThemeFinding, dict[object, bytes | None]]:
        shots: list[Shot] = []
        report = capture(EXAMPLE, variants, stories, settings, on_shot=shots.append)
        assert report.themes is not None
        return report.themes, {(shot.story.id, shot.variant): shot.png for shot in shots}

    found, searched = capture_images(settings)
    expectation = replace(settings.theme_expectation, before=found)
    assert expectation.proved_way == found
    known, images = capture_images(replace(settings, theme_expectation=expectation))
    assert (known, images) == (found, searched)
