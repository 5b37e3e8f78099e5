"""The file that describes a capture: all facts about a shot come back from the file."""

import json
from pathlib import Path

import pytest

from visual_review.client.capture import NOT_HASHED, Fingerprint
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.manifest import (
    MANIFEST_FILE,
    describe_shot,
    read_manifest,
    write_manifest,
)
from visual_review.client.capture.results import CaptureReport, Note, Region, Renderer, Shot
from visual_review.client.capture.sandbox import Sandbox
from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant

CHROMIUM = Renderer("chromium", "156", ())
LIGHT = Variant("light", "desktop")
STORY = Story("button--primary", "Button", "Primary", "./button.stories.js")


def test_the_reason_why_a_shot_is_unstable_is_written_and_read(tmp_path: Path) -> None:
    shot = Shot(STORY, LIGHT, b"png", 4, 4, unstable="x" * 3000, threshold=0.3)
    report = CaptureReport(1, 0, 0, Renderer("chromium", "156", ()), Sandbox())
    written = describe_shot(shot, Fingerprint("ab12", "cd34"))
    write_manifest(tmp_path, report, [written])
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert manifest.screenshots == [written]
    # At most as long as the interface allows.
    assert written.unstable == "x" * 2000


def test_notes_are_written_as_sentences_and_read_again(tmp_path: Path) -> None:
    notes = (Note("failed-request", "/logo.png (404)"), Note("blank-image"))
    report = CaptureReport(1, 0, 0, Renderer("chromium", "156", ()), Sandbox())
    written = describe_shot(Shot(STORY, LIGHT, b"png", 4, 4, notes=notes), NOT_HASHED)
    write_manifest(tmp_path, report, [written])
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert manifest.screenshots == [written]
    assert [note.kind for note in written.notes] == ["failed-request", "blank-image"]
    assert written.notes[0].text.startswith("A request failed: /logo.png (404). ")


def test_a_shot_that_settled_has_no_reason() -> None:
    shot = Shot(STORY, LIGHT, b"png", 4, 4)
    assert describe_shot(shot, NOT_HASHED).unstable == ""


def test_what_a_story_ignores_is_written_and_read(tmp_path: Path) -> None:
    shot = Shot(STORY, LIGHT, b"png", 40, 40, regions=(Region(1, 2, 3, 4),))
    written = describe_shot(shot, NOT_HASHED)
    write_manifest(tmp_path, CaptureReport(1, 0, 0, CHROMIUM, Sandbox()), [written])
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert manifest.screenshots[0].regions == shot.regions


@pytest.mark.parametrize(
    "wrong", [{}, [{}], [1], [{"x": 0, "y": 0, "width": 1.5, "height": 1}], [None] * 101]
)
def test_regions_that_are_not_some_are_refused_by_their_place(
    tmp_path: Path, wrong: object
) -> None:
    written = describe_shot(Shot(STORY, LIGHT, b"png", 40, 40), NOT_HASHED)
    write_manifest(tmp_path, CaptureReport(1, 0, 0, CHROMIUM, Sandbox()), [written])
    path = tmp_path / MANIFEST_FILE
    document = json.loads(path.read_text())
    document["screenshots"][0]["regions"] = wrong
    path.write_text(json.dumps(document))
    with pytest.raises(CaptureError, match=r"screenshots\[0\]\.regions"):
        read_manifest(tmp_path)
