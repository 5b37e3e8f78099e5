"""Checking a folder before publishing."""

import json
from pathlib import Path

import pytest

from tests.support.ci.job import paint, storybook
from visual_review.client.capture import CaptureError
from visual_review.client.folder_check import check_folder
from visual_review.client.transport.errors import InputError


def test_a_storybook_is_counted_with_the_reason_against_partial_builds(tmp_path: Path) -> None:
    folder = storybook(tmp_path / "built")
    found = check_folder(folder, tmp_path, images_only=False)
    assert "is a built Storybook with 4 stories; --partial would capture all of them" in found


def test_the_sub_path_of_a_storybook_is_named(tmp_path: Path) -> None:
    folder = storybook(tmp_path / "built")
    page = folder / "iframe.html"
    page.write_text(page.read_text().replace("./preview.js", "/design/preview.js"))
    assert "with 4 stories, for /design;" in check_folder(folder, tmp_path, images_only=False)


def test_a_storybook_without_its_parts_is_a_problem(tmp_path: Path) -> None:
    folder = storybook(tmp_path / "built")
    index = folder / "index.json"
    index.write_text(json.dumps({"v": 5, "entries": {}}), encoding="utf-8")
    with pytest.raises(CaptureError, match="has no stories"):
        check_folder(folder, None, images_only=False)
    index.write_bytes((storybook(tmp_path / "again") / "index.json").read_bytes())
    (folder / "preview.js").unlink()
    with pytest.raises(CaptureError, match=r"needs preview\.js, which is not in the folder"):
        check_folder(folder, None, images_only=False)
    (folder / "iframe.html").unlink()
    with pytest.raises(InputError, match=r"no iframe\.html"):
        check_folder(folder, None, images_only=False)


def test_a_file_is_not_reported_as_absent(tmp_path: Path) -> None:
    paint(tmp_path / "images", "home", 100)
    with pytest.raises(InputError, match=r"home\.png is a file. Pass the folder that it is in"):
        check_folder(tmp_path / "images" / "home.png", None, images_only=False)


def test_images_are_counted_by_story_and_variant(tmp_path: Path) -> None:
    for name in ("button--light-desktop", "button--dark-desktop", "menu--light-desktop"):
        paint(tmp_path / "images", name, 100)
    found = check_folder(tmp_path / "images", None, images_only=False)
    assert (
        "3 screenshots of 2 stories (names read as: visual-review), in dark-desktop, light-desktop"
        in found
    )


def test_names_of_another_tool_are_read_as_when_publishing(tmp_path: Path) -> None:
    for name in (
        "menu.spec.ts-snapshots/open-chromium-linux",
        "menu.spec.ts-snapshots/shut-chromium-linux",
    ):
        path = tmp_path / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        paint(path.parent, path.stem, 100)
    found = check_folder(tmp_path, None, images_only=False)
    assert "2 screenshots of 2 stories (names read as: playwright), in light-desktop" in found


def test_every_file_that_cannot_be_published_is_named(tmp_path: Path) -> None:
    paint(tmp_path, "button--light-desktop", 100)
    (tmp_path / "menu--light-desktop.png").write_bytes(b"no image")
    with pytest.raises(InputError, match=r"menu--light-desktop\.png: "):
        check_folder(tmp_path, None, images_only=False)


def test_a_folder_that_is_missing_or_empty_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no folder"):
        check_folder(tmp_path / "missing", None, images_only=False)
    with pytest.raises(InputError, match="contains neither"):
        check_folder(tmp_path, None, images_only=False)
