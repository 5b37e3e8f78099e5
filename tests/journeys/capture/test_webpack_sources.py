"""Hashes of a Storybook built by webpack, after real builds."""

from pathlib import Path

import pytest

from tests.support.rebuilt_storybooks import RealProject, copy_bundlers

pytestmark = pytest.mark.deep

GREETING = "greeting--english"
SQUARE = "square--plain"
SHADE = "shade--filled"
# Shows a square.
RELEASE = "release--named"
ALL = {GREETING, SQUARE, SHADE, RELEASE}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> RealProject:
    return copy_bundlers(tmp_path_factory.mktemp("webpack") / "project").build()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # Nothing: two builds of the same sources have the same hashes.
        ("README.md", "Read me", set()),
        ("src/size.js", "export const size = 48;", {SQUARE, RELEASE}),
        ("src/palette.js", "export const blue = '#ff0000';", {SQUARE, RELEASE}),
        ("src/border.css", ".square { border: 9px solid red; }", {SQUARE, RELEASE}),
        ("src/greeting.js", "export const Greeting = () => 'Hello';", {GREETING}),
        ("src/base.css", "body { font: 32px serif; }", ALL),
        ("public/locales/en.json", '{ "greeting": "Good evening" }', ALL),
        ("public/env.js", "window.place = 'harbor';", ALL),
        (".storybook/preview-head.html", "<style>p { color: red }</style>", ALL),
    ],
)
def test_a_build_after_a_change_has_other_hashes_for_the_stories_that_use_it(
    built: RealProject, tmp_path: Path, name: str, text: str, expected: set[str]
) -> None:
    before = built.hashes()
    assert before.keys() == ALL
    changed = copy_bundlers(tmp_path / "project")
    changed.write(name, text)
    after = changed.build().hashes()
    assert {story for story in before if before[story] != after[story]} == expected
