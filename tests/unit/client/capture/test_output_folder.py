"""The folder of a capture is complete, or unchanged."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.client.capture import CaptureError, CaptureReport, Renderer, Variant, file_name
from visual_review.client.capture.manifest import MANIFEST_FILE, CapturedImage, read_manifest
from visual_review.client.capture.output_folder import STAGING, OutputFolder
from visual_review.client.capture.sandbox import Sandbox
from visual_review.client.publishing.pngs import find_images

LIGHT = Variant("light", "phone")
REPORT = CaptureReport(1, 0, 0, Renderer("chromium", "156", ()), Sandbox())


def write_capture(folder: Path, *story_ids: str, size: int = 10) -> None:
    with OutputFolder(folder) as output:
        for story_id in story_ids:
            output.write(file_name(story_id, LIGHT), story_id.encode() * size)
        output.complete(REPORT, [CapturedImage(each, each, LIGHT) for each in story_ids])


def write_interrupted(folder: Path) -> None:
    with OutputFolder(folder) as output:
        output.write(file_name("a--b", LIGHT), b"other")
        raise KeyboardInterrupt


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB, where the tests may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_second_capture_replaces_the_images_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write_capture(tmp_path, "a--b", "c--d")
    write_capture(tmp_path, "c--d", "e--f", size=20)
    files = files_of(tmp_path)
    assert files.keys() == {
        *("c--d--light-phone.png", "e--f--light-phone.png"),
        *(MANIFEST_FILE, "notes.txt"),
    }
    assert files["c--d--light-phone.png"] == b"c--d" * 20
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert [shot.story_id for shot in manifest.screenshots] == ["c--d", "e--f"]


def test_an_interrupted_capture_leaves_what_was_there(case: Case, tmp_path: Path) -> None:
    write_capture(tmp_path / "earlier", "a--b")
    for folder in (tmp_path / "earlier", tmp_path / "new" / "folder"):
        before = files_of(tmp_path)
        with case(folder.name), pytest.raises(KeyboardInterrupt):
            write_interrupted(folder)
        assert files_of(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["earlier"]


def test_a_killed_capture_is_no_obstacle(tmp_path: Path) -> None:
    killed = OutputFolder(tmp_path)
    killed.__enter__()
    killed.write(file_name("a--b", LIGHT), b"half")
    assert find_images(tmp_path) == []
    write_capture(tmp_path, "c--d")
    assert files_of(tmp_path).keys() == {"c--d--light-phone.png", MANIFEST_FILE}


def test_a_capture_killed_while_completing_is_replaced_by_the_next(tmp_path: Path) -> None:
    write_capture(tmp_path, "a--b", "c--d")
    # The new manifest is in place, but only the first of the images.
    manifest = json.loads((tmp_path / MANIFEST_FILE).read_text())
    manifest["screenshots"][1]["storyId"] = "e--f"
    (tmp_path / MANIFEST_FILE).write_text(json.dumps(manifest))
    (tmp_path / "c--d--light-phone.png").unlink()
    write_capture(tmp_path, "x--y")
    assert files_of(tmp_path).keys() == {"x--y--light-phone.png", MANIFEST_FILE}


def test_images_of_someone_else_are_neither_replaced_nor_mixed_in(
    case: Case, tmp_path: Path
) -> None:
    write_capture(tmp_path, "a--b")
    for name in ("logo.PNG", "z--z--light-phone.png"):
        (tmp_path / name).write_bytes(b"mine")
        before = files_of(tmp_path)
        message = rf"images that are not of a complete capture, such as {name}.*--output"
        with case(name), pytest.raises(CaptureError, match=message):
            write_capture(tmp_path, "a--b", size=3)
        assert files_of(tmp_path) == before
        (tmp_path / name).unlink()


def test_a_manifest_that_is_none_is_not_replaced(case: Case, tmp_path: Path) -> None:
    for text in ("", "[]", '{"screenshots": [1]}', '{"screenshots": 1}'):
        (tmp_path / MANIFEST_FILE).write_text(text)
        with case(text), pytest.raises(CaptureError, match="was not written by"):
            write_capture(tmp_path, "a--b")
        assert files_of(tmp_path) == {MANIFEST_FILE: text.encode()}


def test_an_output_that_cannot_be_a_folder_is_an_error(case: Case, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    messages = {
        "file": "is a file",
        "file/below": "cannot be written: Not a directory",
        "x" * 300: "cannot be written: File name too long",
    }
    for name, message in messages.items():
        with case(name[:20]), pytest.raises(CaptureError, match=message):
            write_capture(tmp_path / name, "a--b")
    assert files_of(tmp_path) == {"file": b""}


def test_two_stories_of_one_file_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot have a file for each story"):
        write_capture(tmp_path / "out", "a--b", "a--b")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_named_and_keeps_the_earlier_capture(small_disk: Path) -> None:
    write_capture(small_disk / "earlier", "a--b", size=100)
    before = files_of(small_disk)
    messages = {"earlier": "The earlier capture in it is kept", "new": "Nothing is left in it"}
    for name, message in messages.items():
        with pytest.raises(CaptureError, match=rf"no space left for .*{name}\. {message}"):
            write_capture(small_disk / name, "c--d", "e--f", size=10_000)
        assert files_of(small_disk) == before
        assert not (small_disk / "new").exists()
        assert not (small_disk / name / STAGING).exists()
