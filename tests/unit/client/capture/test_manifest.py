"""The file that describes a capture: what was found out about a shot comes back from it."""

from pathlib import Path

from visual_review.client.capture.manifest import describe_shot, read_manifest, write_manifest
from visual_review.client.capture.results import CaptureReport, Note, Renderer, Shot
from visual_review.client.capture.sandbox import Sandbox
from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant

LIGHT = Variant("light", "desktop")
STORY = Story("button--primary", "Button", "Primary", "./button.stories.js")


def test_the_reason_why_a_shot_is_unstable_is_written_and_read(tmp_path: Path) -> None:
    shot = Shot(STORY, LIGHT, b"png", 4, 4, unstable="x" * 3000, threshold=0.3)
    report = CaptureReport(1, 0, 0, Renderer("chromium", "156", ()), Sandbox())
    written = describe_shot(shot, "ab12")
    write_manifest(tmp_path, report, [written])
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert manifest.screenshots == [written]
    # As long as the interface takes it.
    assert written.unstable == "x" * 2000


def test_notes_are_written_as_sentences_and_read_again(tmp_path: Path) -> None:
    notes = (Note("failed-request", "/logo.png (404)"), Note("blank-image"))
    report = CaptureReport(1, 0, 0, Renderer("chromium", "156", ()), Sandbox())
    written = describe_shot(Shot(STORY, LIGHT, b"png", 4, 4, notes=notes), "")
    write_manifest(tmp_path, report, [written])
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert manifest.screenshots == [written]
    assert [note.kind for note in written.notes] == ["failed-request", "blank-image"]
    assert written.notes[0].text.startswith("A request failed: /logo.png (404). ")


def test_a_shot_that_settled_has_no_reason() -> None:
    shot = Shot(STORY, LIGHT, b"png", 4, 4)
    assert describe_shot(shot, "").unstable == ""
