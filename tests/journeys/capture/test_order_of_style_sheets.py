"""Story files that load the same style sheets in another order, so that another rule wins."""

import json
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.support.small_storybooks import copy_small_storybook
from visual_review.client.capture import CaptureSettings, Shot, Story, Variant
from visual_review.client.capture.run import capture

PHONE = Variant("light", "phone")
RED, BLUE = (255, 0, 0), (0, 0, 255)


def take(folder: Path, *ids: str) -> dict[str, object]:
    """Return the color of each story's box; all are shown on one page if possible."""
    copy_small_storybook("ordered", folder)
    (folder / "index.json").write_text(json.dumps({"v": 5, "entries": {}}), encoding="utf-8")
    stories = [Story(name, name, name, f"./{name.split('--')[0]}.js") for name in ids]
    shots: list[Shot] = []
    capture(folder, [PHONE], stories, CaptureSettings(workers=1), shots.append)
    assert [shot.error for shot in shots] == [None] * len(ids)
    return {
        shot.story.id: Image.open(BytesIO(shot.png or b"")).convert("RGB").getpixel((25, 25))
        for shot in shots
    }


def test_each_story_has_the_order_of_its_own_file(tmp_path: Path) -> None:
    # When the last one is shown, both files are known, and the page has the order of the second.
    colors = take(tmp_path / "storybook", "one--first", "two--first", "one--second")
    assert colors == {"one--first": BLUE, "two--first": RED, "one--second": BLUE}
