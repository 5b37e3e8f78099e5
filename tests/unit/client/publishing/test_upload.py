"""Sizes of images are announced to services whose storage receives images, and to no others."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from tests.support.case import Case
from tests.support.ci.publish_client import make_image
from tests.support.servers.scripted import ScriptedResponse, serving
from visual_review.cli.client.uploading import make_reporter
from visual_review.client.capture import Region, Variant
from visual_review.client.capture.notes import NoteText
from visual_review.client.capture.themes import MEDIA, ThemeFinding, ThemeSetting
from visual_review.client.publishing import PublishError, RetryPolicy, Service
from visual_review.client.publishing.build_images import BuildContents, Entry, Spool
from visual_review.client.publishing.responses import read_created
from visual_review.client.publishing.upload import upload

RED = make_image("red")
CREATED = {"id": "build_1", "number": 7, "status": "uploading", "url": "https://review.example.com"}
FINISHED = {
    **CREATED,
    "status": "processing",
    "reviewState": "unreviewed",
    "counts": {},
    "shards": {"total": 1, "finished": 1},
}
LIGHT = Variant("light", "desktop")
BLANK = (NoteText("blank-image", "The image has only one color."),)
SILENT = "http://127.0.0.1/ did not respond"


def test_images_that_cannot_be_stored_say_where(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "gone")
    with pytest.raises(PublishError, match=rf"cannot be stored in {tmp_path}: .* set TMPDIR"):
        spool.add(RED.data)


def test_sizes_are_sent_only_where_they_are_asked_for(tmp_path: Path, case: Case) -> None:
    path = tmp_path / "red.png"
    path.write_bytes(RED.data)
    entries = (
        Entry("a", "A", LIGHT, sha256=RED.sha256, width=RED.width, height=RED.height),
        Entry("b", "B", LIGHT, error="It threw."),
    )
    contents = BuildContents(entries, {RED.sha256: path}, ("light",), ("desktop",))
    for fields, size in (({}, None), ({"directUploads": True}, len(RED.data))):
        announced = ScriptedResponse(body={"accepted": 2, "uploads": []})
        finished = ScriptedResponse(body=FINISHED)
        with (
            case(str(fields)),
            serving(announced, finished) as server,
            Service(server.url, "vr_ci_token", RetryPolicy(attempts=1), on_retry=print) as service,
        ):
            build = read_created({**CREATED, **fields})
            upload(service, build, contents, 1, make_reporter(Console(quiet=True)))
            sent = json.loads(server.seen[0].body)["screenshots"]
            assert [shot.get("size") for shot in sent] == [size, None]


def send(entries: tuple[Entry, ...], contents: BuildContents) -> list[dict[str, object]]:
    """Upload to a server that needs no image, and return the announcements."""
    announced = ScriptedResponse(body={"accepted": len(entries), "uploads": []})
    with (
        serving(announced, ScriptedResponse(body=FINISHED)) as server,
        Service(server.url, "vr_ci_token", RetryPolicy(attempts=1), on_retry=print) as service,
    ):
        upload(service, read_created(CREATED), contents, 1, make_reporter(Console(quiet=True)))
        return list(json.loads(server.seen[0].body)["screenshots"])


def test_reasons_and_notes_of_images_are_sent(tmp_path: Path) -> None:
    path = tmp_path / "red.png"
    path.write_bytes(RED.data)
    image = {"sha256": RED.sha256, "width": RED.width, "height": RED.height}
    entries = (
        Entry("a", "A", LIGHT, **image, unstable=SILENT),  # type: ignore[arg-type]
        Entry("b", "B", LIGHT, **image, notes=BLANK),  # type: ignore[arg-type]
    )
    sent = send(entries, BuildContents(entries, {RED.sha256: path}, ("light",), ("desktop",)))
    notes = [{"kind": "blank-image", "text": "The image has only one color."}]
    assert [shot.get("unstable") for shot in sent] == [SILENT, None]
    assert [shot.get("notes") for shot in sent] == [None, notes]


def test_the_theme_is_sent_with_the_finish_if_it_was_proved(case: Case) -> None:
    finding = ThemeFinding(ThemeSetting("global", "skin", "day", "night"), 5, 6)
    # With one theme, the browser's preference says nothing about the product.
    preference = ThemeFinding(MEDIA)
    for found, sent in ((finding, finding.to_json()), (preference, None)):
        contents = BuildContents((), {}, ("light",), ("desktop",), theme_finding=found)
        with (
            case(found.setting.kind),
            serving(ScriptedResponse(body=FINISHED)) as server,
            Service(server.url, "vr_ci_token", RetryPolicy(attempts=1), on_retry=print) as service,
        ):
            build = read_created(CREATED)
            upload(service, build, contents, 1, make_reporter(Console(quiet=True)))
            assert json.loads(server.seen[0].body).get("themes") == sent


def test_regions_are_sent_as_far_as_the_image_reaches(tmp_path: Path) -> None:
    path = tmp_path / "red.png"
    path.write_bytes(RED.data)
    image = {"sha256": RED.sha256, "width": RED.width, "height": RED.height}
    beyond = (Region(2, 1, 100, 2), Region(RED.width, 0, 5, 5))
    entries = (Entry("a", "A", LIGHT, **image, regions=beyond),)  # type: ignore[arg-type]
    (sent,) = send(entries, BuildContents(entries, {RED.sha256: path}, ("light",), ("desktop",)))
    assert sent["regions"] == [{"x": 2, "y": 1, "width": RED.width - 2, "height": 2}]
