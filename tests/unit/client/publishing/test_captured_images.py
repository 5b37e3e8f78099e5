"""Publishing the captures of another job; nothing in the folder is trusted."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.images import page
from visual_review.client.capture import ALL_VARIANTS, CaptureError, Renderer, Variant, file_name
from visual_review.client.capture.manifest import (
    MANIFEST_FILE,
    CapturedImage,
    Manifest,
    read_manifest,
)
from visual_review.client.publishing import InputError
from visual_review.client.publishing.build_images import BuildContents
from visual_review.client.publishing.captured_images import read_captured, select_variants
from visual_review.client.publishing.responses import Plan
from visual_review.variants import DEVICES

LIGHT, DARK = Variant("light", "desktop"), Variant("dark", "desktop")
RENDERER = {"browser": "chromium", "version": "156", "flags": ["--hide-scrollbars"]}
GOOD = {
    "storyId": "button--primary",
    "title": "Button/Primary",
    "theme": "light",
    "device": "desktop",
}
FAILED = {"storyId": "card--plain", "theme": "light", "device": "desktop", "error": "It threw"}

PLAN = Plan(
    viewports=DEVICES,
    themes=("light", "dark"),
    devices=("phone", "tablet", "desktop"),
    detection_armed=True,
    baseline_rule="own_branch",
    baseline_id="baseline_1",
    baseline_branch="main",
    baseline_version=1,
    stories={"button--primary": "", "card--plain": ""},
)


def write_folder(folder: Path, *screenshots: dict[str, Any], **changes: object) -> Path:
    """Write a captured folder, with an image for each screenshot without an error."""
    document = {"version": 1, "renderer": RENDERER, "screenshots": screenshots, **changes}
    (folder / MANIFEST_FILE).write_text(json.dumps(document))
    for shot in screenshots:
        if "error" not in shot:
            name = file_name(shot["storyId"], Variant(shot["theme"], shot["device"]))
            (folder / name).write_bytes(page(4, 3))
    return folder


def read(folder: Path, *, partial: bool = False) -> BuildContents:
    manifest = read_manifest(folder)
    assert manifest is not None
    return read_captured(folder, manifest, PLAN, partial=partial)


def test_titles_hashes_thresholds_and_failures_are_kept(tmp_path: Path) -> None:
    good = {**GOOD, "sourceHash": "ab12", "rendererHash": "cd34", "threshold": 0.3}
    contents = read(write_folder(tmp_path, FAILED, good))
    button, card = contents.entries
    assert (button.title, button.hashes) == ("Button/Primary", ("ab12", "cd34"))
    assert button.threshold == 0.3
    assert (button.width, button.height) == (4, 3)
    assert contents.files[button.sha256].name == "button--primary--light-desktop.png"
    assert (card.story_id, card.error, card.sha256) == ("card--plain", "It threw", "")
    assert (contents.themes, contents.devices) == (("light",), ("desktop",))
    assert contents.renderer == Renderer("chromium", "156", ("--hide-scrollbars",))
    assert contents.failed == 1


def test_a_story_whose_name_is_shortened_keeps_its_whole_id(tmp_path: Path) -> None:
    story_id = "\N{GRINNING FACE}" * 100 + "--Plain/../%"
    contents = read(write_folder(tmp_path, {**GOOD, "storyId": story_id}, GOOD))
    assert [entry.story_id for entry in contents.entries] == ["button--primary", story_id]


def test_a_capture_without_any_image_is_a_build_of_failures(tmp_path: Path) -> None:
    contents = read(write_folder(tmp_path, FAILED))
    assert [entry.error for entry in contents.entries] == ["It threw"]
    assert contents.files == {}


def test_only_the_variants_of_the_plan_are_published(tmp_path: Path) -> None:
    write_folder(tmp_path, GOOD, {**GOOD, "theme": "dark"}, {**GOOD, "device": "phone"})
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    plan = replace(PLAN, themes=("light",), devices=("desktop",))
    contents = read_captured(tmp_path, manifest, plan, partial=False)
    assert [entry.variant for entry in contents.entries] == [LIGHT]
    assert (contents.themes, contents.devices) == (("light",), ("desktop",))


def test_the_other_variants_serve_detection_if_all_were_captured(case: Case) -> None:
    everything = [CapturedImage("a", "A", variant) for variant in ALL_VARIANTS]
    plan = replace(PLAN, themes=("light",), devices=("desktop",))
    others = tuple(variant for variant in ALL_VARIANTS if variant != LIGHT)
    cases = {
        "armed": (everything, plan, False, others),
        "a variant is missing": (everything[1:], plan, False, ()),
        "partial": (everything, plan, True, ()),
        "not armed": (everything, replace(plan, detection_armed=False), False, ()),
    }
    for name, (shots, given_plan, partial, expected) in cases.items():
        with case(name):
            assert select_variants(shots, given_plan, partial=partial) == ((LIGHT,), expected)


def test_a_capture_of_other_variants_only_is_an_error() -> None:
    plan = replace(PLAN, themes=("light",), devices=("desktop",))
    with pytest.raises(InputError, match=r"has dark-desktop, but this product.* in light-desktop"):
        select_variants([CapturedImage("a", "A", DARK)], plan, partial=False)


def test_stories_that_were_not_captured_are_inherited_by_a_partial_build(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, GOOD)
    assert read(folder).story_ids is None
    assert read(folder, partial=True).story_ids == ["button--primary", "card--plain"]


def test_a_missing_image_and_one_too_many_are_listed(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, GOOD)
    (folder / "button--primary--light-desktop.png").rename(folder / "other--one--light-desktop.png")
    with pytest.raises(InputError) as raised:
        read(folder)
    assert "button--primary light-desktop: the image is missing" in str(raised.value)
    assert f"other--one--light-desktop.png: {MANIFEST_FILE} does not list it" in str(raised.value)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path, case: Case) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "images"
    outside.mkdir()
    folder.mkdir()
    secret = outside / "secret.png"
    secret.write_bytes(page(4, 3))
    write_folder(folder, GOOD)
    image = folder / "button--primary--light-desktop.png"
    image.unlink()
    for target in (secret, Path("../outside/secret.png")):
        with case(target):
            image.symlink_to(target)
            with pytest.raises(InputError, match="is a link that leads out of the folder"):
                read(folder)
            image.unlink()


def test_a_linked_folder_is_not_read(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "images"
    outside.mkdir()
    folder.mkdir()
    (outside / "button--primary--light-desktop.png").write_bytes(page(4, 3))
    write_folder(folder, FAILED)
    (folder / "linked").symlink_to(outside)
    assert read(folder).files == {}


def as_link(folder: Path) -> None:
    path = folder / MANIFEST_FILE
    path.rename(folder / "elsewhere.json")
    path.symlink_to(folder / "elsewhere.json")


def as_sparse_file(folder: Path) -> None:
    os.truncate(folder / MANIFEST_FILE, (64 << 20) + 1)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "is a link": as_link,
    "larger than 64 MB": as_sparse_file,
    "cannot be used: Expecting value": lambda folder: (folder / MANIFEST_FILE).write_text("<html>"),
    "cannot be used: maximum recursion": (
        lambda folder: (folder / MANIFEST_FILE).write_text("[" * 200_000)
    ),
    "it is not an object": lambda folder: (folder / MANIFEST_FILE).write_text("[]"),
    "its version is 2, not 1": lambda folder: write_folder(folder, version=2),
    "screenshots is not a list": lambda folder: write_folder(folder, screenshots={}),
    "renderer is not an object": lambda folder: write_folder(folder, renderer=None),
    "renderer.flags is not a list": (
        lambda folder: write_folder(folder, renderer={**RENDERER, "flags": ["--a"] * 101})
    ),
    "lists a story twice": lambda folder: write_folder(folder, GOOD, GOOD),
    r"screenshots\[0\] has no theme": (
        lambda folder: write_folder(folder, {**FAILED, "theme": "sepia"})
    ),
    r"screenshots\[0\].storyId is not a string": (
        lambda folder: write_folder(folder, {**FAILED, "storyId": "a" * 301})
    ),
    r"screenshots\[0\].title is not a string": (
        lambda folder: write_folder(folder, {**FAILED, "title": "a" * 501})
    ),
    r"screenshots\[0\].error is not a string": (
        lambda folder: write_folder(folder, {**FAILED, "error": ["a"]})
    ),
    r"screenshots\[0\] has no story ID, or a hash": (
        lambda folder: write_folder(folder, {**FAILED, "sourceHash": "\n"})
    ),
    r"screenshots\[0\].threshold is not a number": (
        lambda folder: write_folder(folder, {**FAILED, "threshold": float("nan")})
    ),
}


def test_any_other_manifest_is_refused_in_words(case: Case, tmp_path: Path) -> None:
    for number, (message, damage) in enumerate(DAMAGES.items()):
        with case(message):
            folder = tmp_path / str(number)
            folder.mkdir()
            write_folder(folder, FAILED)
            damage(folder)
            with pytest.raises(CaptureError, match=message):
                read_manifest(folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["version", "renderer", "screenshots"]), JSON), JSON)
def test_any_json_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, top: dict[str, Any], shot: object
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for document in (top, {"version": 1, "renderer": RENDERER, "screenshots": [shot]}):
        (folder / MANIFEST_FILE).write_text(json.dumps(document))
        try:
            assert isinstance(read_manifest(folder), Manifest)
        except CaptureError:
            continue


def test_the_reason_why_an_image_is_unstable_is_published(tmp_path: Path) -> None:
    restless = {**GOOD, "unstable": "A canvas kept changing."}
    contents = read(write_folder(tmp_path, restless, {**GOOD, "storyId": "calm"}))
    assert {entry.story_id: entry.unstable for entry in contents.entries} == {
        "button--primary": "A canvas kept changing.",
        "calm": "",
    }


def test_notes_are_published_and_summarized_without_control_characters(tmp_path: Path) -> None:
    note = {"kind": "page-error", "text": "Error: \x1b[2Jnothing is left"}
    contents = read(write_folder(tmp_path, {**GOOD, "notes": [note]}))
    (entry,) = contents.entries
    assert [(each.kind, "\x1b" in each.text) for each in entry.notes] == [("page-error", False)]
    assert len(contents.notes) == 1
    assert "button--primary light-desktop: Error: " in contents.notes[0]
    assert "\x1b" not in contents.notes[0]


def test_notes_that_no_capture_writes_are_refused(tmp_path: Path, case: Case) -> None:
    note = {"kind": "blank-image", "text": "x"}
    wrong = (
        *("text", [note] * 21, ["text"], [{"kind": "blank-image"}]),
        *([{**note, "kind": "<b>"}], [{**note, "kind": "x" * 41}], [{**note, "text": "x" * 1001}]),
    )
    for number, notes in enumerate(wrong):
        folder = tmp_path / str(number)
        folder.mkdir()
        with case(f"{notes!r:.60}"), pytest.raises(CaptureError, match="notes"):
            read(write_folder(folder, {**GOOD, "notes": notes}))
