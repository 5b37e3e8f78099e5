"""Stories that are worth a note or have unusual sizes: one run of a real browser for all."""

import json
import re
from io import BytesIO

import pytest
from PIL import Image

from tests.support.case import Case
from tests.support.small_storybooks import SMALL_STORYBOOKS, copy_small_storybook
from visual_review.client.capture import ALL_VARIANTS, CaptureSettings, Shot, Story
from visual_review.client.capture.notes import describe
from visual_review.client.capture.run import capture
from visual_review.variants import DEVICES

PHONE = ALL_VARIANTS[0]
WIDTH, HEIGHT = DEVICES["phone"]
RED = (255, 0, 0)
# The height of each image; content shorter than the viewport gives the viewport's height.
HEIGHTS = {
    "short": HEIGHT,
    "tall": 3000,
    "endless": 16_000,
    "viewport-height": HEIGHT + 500,
    "viewport-height-twice": 2 * HEIGHT + 500,
    "body-scrolls": 2000,
    "body-scrolls-with-viewport-height": HEIGHT + 1000,
    "scroll-lock": 2000,
    "app-shell": HEIGHT,
    "small-scroll-area": HEIGHT,
    "tall-fixed": 1500,
    "tall-inside-fixed": 1700,
    "fixed-that-scrolls": HEIGHT,
    "closed-sheet": HEIGHT,
    "peeking-sheet": HEIGHT,
    "invisible-fixed": HEIGHT,
    # 1,500 pixels around the middle of the viewport.
    "above": HEIGHT // 2 + 750,
    "fixed-bar": 2000,
    "tall-sticky": 2400,
    "dialog": HEIGHT,
    "tall-dialog": 1400,
    "portal": 1600,
    "shadow-fixed": 1300,
    "wide": HEIGHT,
    "wide-on-purpose": HEIGHT,
}
# The required red end of the content, unless at the end of the image.
RED_ENDS = {"short": 100, "tall-sticky": 1500, "fixed-bar": HEIGHT}
NOT_RED = {
    *("endless", "app-shell", "small-scroll-area", "fixed-that-scrolls", "closed-sheet"),
    *("peeking-sheet", "invisible-fixed", "dialog", "wide", "wide-on-purpose"),
}
NOTES = {
    "size--endless": "truncated: the page is 60000 pixels high, the image ends at 16000",
    "size--app-shell": "hidden-content: main#app fills the page and scrolls; 1656 pixels are below",
    "size--fixed-that-scrolls": "hidden-content: div fills the page and scrolls; 856 pixels are below",
    "size--above": "hidden-content: a fixed element begins 328 pixels above the page",
    "size--wide": f"wider: it is 1200 pixels wide, the viewport {WIDTH}",
    "note--missing-image": "failed-request: /images/lost.png (404)",
    "note--missing-font": "failed-request: /lost.woff2 (404)",
    "note--broken-image": "failed-request: data:image/png;base64,AAAA is not an image that can be "
    "shown",
    "note--refused-host": "blocked-request: https://cdn.example/1.png, "
    "https://cdn.example/2.png, https://cdn.example/3.png and 2 more",
    "note--refused-socket": "blocked-request: ws://live.example/feed",
    "note--error": "page-error: items is undefined",
    "note--rejection": "page-error: unhandled rejection: no data for this story",
    "note--empty": "empty-story: #storybook-root has no content",
    "note--blank": "blank-image: ",
}


def list_stories() -> list[str]:
    text = "".join(
        (SMALL_STORYBOOKS / "noted" / name).read_text(encoding="utf-8")
        for name in ("preview.js", "sizes.js")
    )
    # A failed font is missing in all later stories of the page, so its story is the last.
    return sorted(
        re.findall(r'^  "([a-z-]+--[a-z-]+)"', text, re.MULTILINE),
        key=lambda name: (name == "note--missing-font", name),
    )


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shot]:
    folder = tmp_path_factory.mktemp("noted") / "storybook"
    copy_small_storybook("noted", folder)
    (folder / "index.json").write_text(json.dumps({"v": 5, "entries": {}}), encoding="utf-8")
    stories = [Story(name, name, name, "./noted.js") for name in list_stories()]
    found: dict[str, Shot] = {}
    settings = CaptureSettings(workers=1, stories_per_load=len(stories))
    capture(folder, [PHONE], stories, settings, lambda shot: found.update({shot.story.id: shot}))
    return found


def test_each_image_is_as_high_as_its_content(shots: dict[str, Shot], case: Case) -> None:
    for name, height in HEIGHTS.items():
        shot = shots[f"size--{name}"]
        with case(name):
            assert (shot.error, shot.unstable) == (None, None)
            assert shot.height == height
            if name not in NOT_RED:
                image = Image.open(BytesIO(shot.png or b"")).convert("RGB")
                end = RED_ENDS.get(name, height)
                assert image.getpixel((50, end - 5)) == RED


def test_each_story_has_exactly_its_notes(shots: dict[str, Shot], case: Case) -> None:
    for name, shot in shots.items():
        with case(name):
            assert (shot.error, shot.unstable) == (None, None)
            notes = [f"{note.kind}: {note.detail}" for note in shot.notes]
            assert notes == ([NOTES[name]] if name in NOTES else [])


def test_each_note_says_a_way_out(shots: dict[str, Shot], case: Case) -> None:
    texts = {note.kind: describe(note) for shot in shots.values() for note in shot.notes}
    for kind, text in texts.items():
        with case(kind):
            assert "{" not in text
            assert text.count(". ") >= 1
