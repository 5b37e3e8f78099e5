"""An attribute of the page written by every story costs no loads of the preview."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.client.capture import CaptureSettings, Variant
from visual_review.client.capture.page import Page
from visual_review.client.capture.run import capture

STORIES = ("one--first", "one--second", "two--first", "two--second", "three--first")
PREVIEW = """
import {{ paint, render, start }} from "./channel.js";
start((id) =>
  render(id, () => {{
    const {{ dataset }} = document.documentElement;
    {write}
    paint(`<p>${{id}}</p>`);
  }}),
);
"""


def build(folder: Path, write: str) -> Path:
    shutil.copytree(BAD_STORYBOOK, folder)
    (folder / "preview.js").write_text(PREVIEW.format(write=write))
    entries = {
        story: {
            "type": "story",
            "id": story,
            "title": story.partition("--")[0],
            "name": story,
            "importPath": f"./{story.partition('--')[0]}.stories.js",
        }
        for story in STORIES
    }
    (folder / "index.json").write_text(json.dumps({"v": 5, "entries": entries}))
    return folder


def count_loads(storybook: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    loads = []
    load = Page.set_variant

    async def set_variant(page: Page, variant: Variant) -> None:
        loads.append(variant)
        await load(page, variant)

    with monkeypatch.context() as patch:
        patch.setattr(Page, "set_variant", set_variant)
        report = capture(
            storybook, [Variant("light", "phone")], settings=CaptureSettings(workers=1)
        )
    assert report.shots_ok == len(STORIES)
    return len(loads)


def test_what_every_story_writes_needs_no_new_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = count_loads(build(tmp_path / "plain", ""), monkeypatch)
    same = count_loads(build(tmp_path / "same", 'dataset.tone = "soft";'), monkeypatch)
    assert same == plain


def test_what_one_story_writes_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = count_loads(build(tmp_path / "plain", ""), monkeypatch)
    one = 'if (id === "two--first") dataset.tone = "soft";'
    assert count_loads(build(tmp_path / "one", one), monkeypatch) == plain + 1
