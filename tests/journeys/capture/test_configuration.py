"""Effects of ``visual-review.toml`` on a capture, in one run of the command."""

import json
import os
from pathlib import Path

import pytest
from PIL import Image

from tests.support.ci import job
from tests.support.small_storybooks import copy_small_storybook
from visual_review.variants import DEVICES

SETTINGS = """
[[capture.themes.candidates]]
class = "never"

[[capture.themes.candidates]]
class = "moonlit"

[capture.devices]
use = ["phone", "tablet"]
phone = { width = 200, height = 300 }

[[capture.stories]]
id = "*--large"
devices = ["tablet"]
threshold = 0.3
"""


@pytest.fixture
def storybook(tmp_path: Path) -> Path:
    return copy_small_storybook("configured", tmp_path / "storybook")


def color_of(path: Path) -> object:
    with Image.open(path) as image:
        return image.convert("RGB").getpixel((10, 10))


def test_themes_devices_and_stories_are_as_configured(storybook: Path, tmp_path: Path) -> None:
    settings, output = tmp_path / "settings.toml", tmp_path / "images"
    settings.write_text(SETTINGS)
    result = job.run(
        ["capture", str(storybook), "--output", str(output), "--config", str(settings), "--json"],
        os.environ,
    )
    assert result.returncode == 0, result.stderr
    assert (
        "Dark theme: class `moonlit` on `html`, configured, proved on 1 of 1 sampled story."
    ) in result.stderr
    document = json.loads(result.stdout)
    assert any(text.startswith("Dark theme: class `moonlit`") for text in document["notices"])
    assert document["themes"] == {
        "kind": "class",
        "name": "",
        "light": "",
        "dark": "moonlit",
        "target": "html",
        "configured": True,
        "changedStories": 1,
        "sampledStories": 1,
        "differentPairs": 3,
        "comparedPairs": 3,
        "interrupted": False,
        "previewHash": document["themes"]["previewHash"],
    }
    sizes = {image["file"]: (image["width"], image["height"]) for image in document["images"]}
    assert sizes == {
        f"box--{story}--{theme}-{device}.png": size
        for story, device, size in (
            ("small", "phone", (200, 300)),
            ("small", "tablet", DEVICES["tablet"]),
            ("large", "tablet", DEVICES["tablet"]),
        )
        for theme in ("light", "dark")
    }
    for name in sizes:
        assert color_of(output / name) == ((0, 0, 0) if "--dark-" in name else (255, 255, 255))
    manifest = json.loads((output / "visual-review-capture.json").read_text())
    assert manifest["themes"] == document["themes"]
    thresholds = {shot["storyId"]: shot.get("threshold") for shot in manifest["screenshots"]}
    assert thresholds == {"box--small": None, "box--large": 0.3}


def test_an_error_of_the_file_ends_the_command(storybook: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[capture.themes]\nglobl = 'theme'\n")
    for arguments in (
        ["capture", "--output", str(tmp_path / "images")],
        ["publish", "--url", "http://localhost:9", "--token", "vr_ci_x"],
    ):
        command, *options = arguments
        result = job.run([command, str(storybook), "--config", str(settings), *options], os.environ)
        assert result.returncode == 2
        assert f"{settings}, line 2: capture.themes.globl is not a known key" in result.stderr
