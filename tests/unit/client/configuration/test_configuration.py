"""The settings of ``visual-review.toml``, the places of the file, and its error messages."""

from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.client.capture import CaptureSettings, Variant
from visual_review.client.capture.results import StoryRule, override_parameters
from visual_review.client.capture.themes import MEDIA, ThemeSetting
from visual_review.client.configuration import (
    CaptureConfiguration,
    ConfigurationError,
    find_configuration,
    read_configuration,
)
from visual_review.variants import Viewport

EVERYTHING = """
[capture.themes]
use = ["dark", "light"]

[[capture.themes.candidates]]
global = "skin"
light = "day"
dark = "night"

[[capture.themes.candidates]]
class = "theme-night contrast"
light = "theme-day"
target = "body"

[[capture.themes.candidates]]
add-on = "storybook-dark-mode"

[[capture.themes.candidates]]
media = true

[capture.devices]
use = ["desktop", "phone"]
phone = { width = 360, height = 800 }

[[capture.stories]]
id = "pages-*"
devices = ["desktop"]

[[capture.stories]]
id = ["pages-long--all", "button--slow"]
delay = 250
threshold = 0.1
skip = false
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "visual-review.toml"
    path.write_text(text)
    return path


def test_every_table_is_read(tmp_path: Path) -> None:
    assert read_configuration(write(tmp_path, EVERYTHING)).capture == CaptureConfiguration(
        themes=("light", "dark"),
        devices=("phone", "desktop"),
        candidates=(
            ThemeSetting("global", "skin", "day", "night"),
            ThemeSetting("class", "", "theme-day", "theme-night contrast", "body"),
            ThemeSetting("dark-mode-addon", target="body"),
            MEDIA,
        ),
        sizes={"phone": Viewport(360, 800)},
        stories=(
            StoryRule(("pages-*",), devices=("desktop",)),
            StoryRule(("pages-long--all", "button--slow"), skip=False, delay=250, threshold=0.1),
        ),
    )
    one = '[capture.themes]\nattribute = "data-theme"\ndark = "night"\n'
    assert read_configuration(write(tmp_path, one)).capture.candidates == (
        ThemeSetting("attribute", "data-theme", None, "night"),
    )
    assert read_configuration(write(tmp_path, "")).capture == CaptureConfiguration()


PROBLEMS = [
    ("[capture.themes]\nglobl = 'x'", "line 2: capture.themes.globl is not a known key; perhaps global is meant"),
    ("[captur]", "line 1: captur is not a known key; perhaps capture is meant"),
    ("[capture]\nworkers = 2", "line 2: capture.workers is not a known key; known are devices, stories, themes"),
    ("[capture.themes]\nuse = ['sepia']", "line 2: capture.themes.use has 'sepia'; choose from light, dark"),
    ("[capture.themes]\nglobal = 'a'\nclass = 'b'", "line 3: capture.themes.class cannot be combined with global"),
    ("[capture.themes]\n\nglobal = 'a'", "capture.themes.dark is missing"),
    ("[capture.themes]\ndark = 'a'", "line 2: capture.themes.dark needs one of global, class"),
    ("[capture.themes]\nadd-on = 'other'", "line 2: capture.themes.add-on is not 'storybook-dark-mode'"),
    ("[capture.themes]\nclass = 'b'\ncandidates = []", None),
    ("[[capture.themes.candidates]]\nmedia = true\n[[capture.themes.candidates]]\nmedia = 3", "line 4: capture.themes.candidates.media is not true or false"),
    ("[capture.devices]\nphone = {width = 0, height = 9}", "capture.devices.phone.width is not an integer from 1 to 8192"),
    ("[capture.devices.phone]\nwidth = 9", "capture.devices.phone.height is missing"),
    ("[capture.devices]\nwatch = 3", "line 2: capture.devices.watch is not a known key"),
    ("[[capture.stories]]\nskip = true", "capture.stories.id is missing"),
    ("[[capture.stories]]\nid = 'a'\n[[capture.stories]]\nid = 'b'\nthreshold = 2", "line 5: capture.stories.threshold is not a number from 0 to 1"),
    ("capture = 3", "line 1: capture is not a table"),
    ("[capture\n", "is not valid TOML: Expected ']' at the end of a table declaration (at line 1"),
]  # fmt: skip


def test_errors_name_the_file_the_line_and_the_key(tmp_path: Path, case: Case) -> None:
    for text, expected in PROBLEMS:
        with case(text):
            path = write(tmp_path, text)
            if expected is None:
                read_configuration(path)
                continue
            with pytest.raises(ConfigurationError) as raised:
                read_configuration(path)
            assert str(raised.value).startswith(str(path))
            assert expected in str(raised.value)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_configuration(tmp_path / "other.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="is not UTF-8 text"):
        read_configuration(tmp_path / "binary.toml")


def test_the_nearest_file_of_the_repository_counts(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    package = root / "packages" / "ui"
    storybook = package / "storybook-static"
    storybook.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # A built Storybook may come from another job, and so is not searched.
    write(storybook, "")
    # Outside of a repository, files further up may be someone else's.
    outside = write(tmp_path, "")
    assert find_configuration(storybook, elsewhere) is None
    (root / ".git").mkdir()
    assert find_configuration(storybook, elsewhere) is None
    assert find_configuration(storybook, tmp_path) == outside
    of_repository = write(root, "")
    assert find_configuration(storybook, elsewhere) == of_repository
    of_package = write(package, "")
    assert find_configuration(storybook, root) == of_package


def test_options_win_over_the_file() -> None:
    candidates = (ThemeSetting("global", "skin", "day", "night"),)
    configuration = CaptureConfiguration(candidates=candidates, sizes={"phone": Viewport(1, 2)})
    applied = configuration.apply(CaptureSettings())
    assert applied.theme_candidates == candidates
    assert applied.viewports["phone"] == Viewport(1, 2)
    assert applied.viewports["desktop"] == CaptureSettings().viewports["desktop"]
    chosen = CaptureSettings(theme_values={"dark": "Night"})
    assert configuration.apply(chosen).theme_candidates == ()


def test_the_last_rule_for_a_story_wins() -> None:
    rules = (
        StoryRule(("pages-*",), devices=("desktop",), delay=100),
        StoryRule(("pages-long--*",), delay=300, threshold=0.5),
    )
    desktop, phone = Variant("light", "desktop"), Variant("light", "phone")
    assert override_parameters(rules, "button--a", phone) == {}
    assert override_parameters(rules, "pages-a--b", phone) == {"skip": True, "delay": 100}
    assert override_parameters(rules, "pages-long--b", desktop) == {"delay": 300, "threshold": 0.5}
