"""Images are taken before the page was quiet for long, and count only if the page stays quiet."""

from pathlib import Path

import pytest

from visual_review.client.capture import ALL_VARIANTS, CaptureSettings, Shot, read_stories
from visual_review.client.capture.page import Page
from visual_review.client.capture.run import capture

STORYBOOK = Path(__file__).parent / "bad_storybook"
PHONE = ALL_VARIANTS[0]
# Stories with a change after the first image, and stories that look the same as the change.
PAIRS = {
    "early--repainted-late": "early--repainted-at-once",
    "early--scrolled-late": "early--scrolled-at-once",
    "early--restyled-late": "early--restyled-at-once",
}


def capture_early() -> dict[str, Shot]:
    names = {*PAIRS, *PAIRS.values()}
    stories = [story for story in read_stories(STORYBOOK) if story.id in names]
    shots: list[Shot] = []
    capture(STORYBOOK, [PHONE], stories, CaptureSettings(workers=1), shots.append)
    return {shot.story.id: shot for shot in shots}


@pytest.fixture(scope="module")
def shots() -> dict[str, Shot]:
    return capture_early()


@pytest.mark.parametrize(("late", "final"), PAIRS.items())
def test_a_change_after_the_first_image_is_in_the_image_that_counts(
    shots: dict[str, Shot], late: str, final: str
) -> None:
    assert shots[late].error is None
    assert shots[late].png == shots[final].png


def test_the_wait_after_the_image_is_what_notices_the_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    confirmed = []

    async def stayed_quiet(page: Page) -> bool:
        confirmed.append(page)
        return True

    monkeypatch.setattr(Page, "stayed_quiet", stayed_quiet)
    shots = capture_early()
    assert confirmed
    # Otherwise the stories of this test would prove nothing.
    assert [late for late in PAIRS if shots[late].png == shots[PAIRS[late]].png] == []
