"""Causes that can be read from two hashes."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.source_project import BUILT, make_project, write
from visual_review.client.capture import (
    DEVICES,
    CaptureSettings,
    Viewport,
    describe_changes,
    source_hashes,
)
from visual_review.client.capture.manifest import SOURCE_HASH
from visual_review.client.capture.sources.fingerprint import (
    RENDERER_PARTS,
    STORY_PARTS,
    Renderer,
    make_hash,
)
from visual_review.client.capture.sources.renderer import (
    NEUTRAL_SETTINGS,
    digest_settings,
)

RENDERER = Renderer("156.0.8078.79", {name: name for name in RENDERER_PARTS})
STORY = {name: name for name in STORY_PARTS}
HASH = make_hash(RENDERER, STORY)


def renderer_with(part: str) -> Renderer:
    return replace(RENDERER, parts={**RENDERER.parts, part: "something else"})


def test_a_hash_shows_the_version_of_the_browser_and_fits_the_interface() -> None:
    assert HASH.startswith("3:156.0.8078.79:")
    longest = make_hash(replace(RENDERER, version="156.0.8078.79 beta-of-a-long-name"), STORY)
    for each in (HASH, longest):
        assert SOURCE_HASH.fullmatch(each), each


def test_a_new_browser_is_named_with_both_versions() -> None:
    newer = replace(renderer_with("browser"), version="157.0.1.2")
    assert describe_changes(HASH, make_hash(newer, STORY)) == [
        "the browser changed from 156.0.8078.79 to 157.0.1.2"
    ]


@pytest.mark.parametrize("part", RENDERER_PARTS)
def test_a_part_of_the_renderer_is_named(part: str) -> None:
    assert describe_changes(HASH, make_hash(renderer_with(part), STORY)) == [RENDERER_PARTS[part]]


@pytest.mark.parametrize("part", [name for name in STORY_PARTS if name != "own"])
def test_a_part_of_the_story_is_named(part: str) -> None:
    changed = make_hash(RENDERER, STORY | {part: "something else"})
    assert describe_changes(HASH, changed) == [STORY_PARTS[part]]


def test_modules_of_one_story_are_no_cause_for_all() -> None:
    changed = make_hash(RENDERER, STORY | {"own": "something else"})
    assert changed != HASH
    assert describe_changes(HASH, changed) == []


@pytest.mark.parametrize("source", ["own", "preview"])
def test_built_code_that_changes_with_its_sources_is_no_other_cause(source: str) -> None:
    changes = dict.fromkeys((source, "code", "built"), "something else")
    changed = make_hash(RENDERER, STORY | changes)
    assert describe_changes(HASH, changed) == [STORY_PARTS[source]] * (source != "own")


@pytest.mark.parametrize("earlier", ["0" * 64, "2:156:AAAAAAAAAA:AAAAAAAAAA:" + "A" * 20, "x:"])
def test_a_hash_of_another_format_is_of_an_earlier_version(earlier: str) -> None:
    assert describe_changes(earlier, HASH) == [
        "the baseline was captured by an earlier version of Visual Review"
    ]


def test_the_renderer_is_part_of_every_storys_hash(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    before = source_hashes(project / BUILT, project, RENDERER).hashes or {}
    after = source_hashes(project / BUILT, project, renderer_with("fonts")).hashes or {}
    assert before
    assert {describe_changes(before[name], after[name])[0] for name in before} == {
        RENDERER_PARTS["fonts"]
    }


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("src/base.css", "preview"),
        (f"{BUILT}/locales/en.json", "static"),
        (f"{BUILT}/assets/iframe-Ab3dEf6h.js", "code"),
        (f"{BUILT}/assets/card-D1c2B3a4.js", "built"),
    ],
)
def test_a_changed_file_is_named_by_its_kind(tmp_path: Path, name: str, part: str) -> None:
    project = make_project(tmp_path / "project")
    before = source_hashes(project / BUILT, project, RENDERER).hashes or {}
    write(project / name, f"{(project / name).read_text()} and more")
    after = source_hashes(project / BUILT, project, RENDERER).hashes or {}
    assert describe_changes(before["card--a"], after["card--a"]) == [STORY_PARTS[part]]


@pytest.mark.parametrize(
    ("setting", "matters"),
    [
        ({"viewports": {**DEVICES, "phone": Viewport(360, 640)}}, True),
        ({"theme_values": {"dark": "Night"}}, True),
        ({"settle_timeout": 6.0}, True),
        ({"allow_hosts": ("example.org",)}, True),
        ({"workers": 7}, False),
        ({"chromium": Path("/opt/chromium")}, False),
        ({"require_sandbox": True}, False),
    ],
)
def test_settings_that_change_images_matter(setting: dict[str, object], *, matters: bool) -> None:
    before = CaptureSettings()
    after = replace(before, **setting)  # type: ignore[arg-type]
    assert (digest_settings(before) != digest_settings(after)) == matters
    assert matters == NEUTRAL_SETTINGS.isdisjoint(setting)
