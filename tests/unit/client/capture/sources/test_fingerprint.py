"""Causes that can be read from two hashes."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.source_project import BUILT, make_project, write
from visual_review.client.capture import CaptureSettings, describe_changes, source_hashes
from visual_review.client.capture.manifest import SOURCE_HASH
from visual_review.client.capture.sources.fingerprint import (
    RENDERER_PARTS,
    STORY_PARTS,
    Fingerprint,
    Renderer,
    make_renderer_hash,
    make_source_hash,
)
from visual_review.client.capture.sources.renderer import (
    NEUTRAL_SETTINGS,
    digest_settings,
)
from visual_review.variants import DEVICES, Viewport

RENDERER = Renderer("156.0.8078.79", {name: name for name in RENDERER_PARTS})
STORY = {name: name for name in STORY_PARTS}


def fingerprint(renderer: Renderer = RENDERER, **changed: str) -> Fingerprint:
    return Fingerprint(make_source_hash(STORY | changed), make_renderer_hash(renderer))


HASHES = fingerprint()


def renderer_with(part: str) -> Renderer:
    return replace(RENDERER, parts={**RENDERER.parts, part: "something else"})


def test_hashes_show_the_version_of_the_browser_and_fit_the_interface() -> None:
    assert HASHES.source.startswith("4:")
    assert HASHES.renderer.startswith("4:156.0.8078.79:")
    longest = replace(RENDERER, version="156.0.8078.79 beta-of-a-long-name")
    for each in (*HASHES, make_renderer_hash(longest)):
        assert SOURCE_HASH.fullmatch(each), each


def test_each_hash_covers_its_side_alone() -> None:
    other_browser = fingerprint(renderer_with("browser"))
    other_story = fingerprint(own="something else")
    assert other_browser.source == HASHES.source != other_story.source
    assert other_story.renderer == HASHES.renderer != other_browser.renderer


def test_an_image_would_be_the_same_only_if_both_hashes_are_known_and_equal() -> None:
    assert HASHES.is_same(fingerprint())
    assert not HASHES.is_same(None)
    for name in ("source", "renderer"):
        unknown = HASHES._replace(**{name: ""})
        assert not HASHES.is_same(unknown)
        assert not unknown.is_same(unknown)


def test_a_new_browser_is_named_with_both_versions() -> None:
    newer = replace(renderer_with("browser"), version="157.0.1.2")
    assert describe_changes(HASHES, fingerprint(newer)) == [
        "the browser changed from 156.0.8078.79 to 157.0.1.2"
    ]


@pytest.mark.parametrize("part", RENDERER_PARTS)
def test_a_part_of_the_renderer_is_named(part: str) -> None:
    changed = fingerprint(renderer_with(part))
    assert describe_changes(HASHES, changed) == [RENDERER_PARTS[part]]


@pytest.mark.parametrize("part", [name for name in STORY_PARTS if name != "own"])
def test_a_part_of_the_story_is_named(part: str) -> None:
    changed = fingerprint(**{part: "something else"})
    assert describe_changes(HASHES, changed) == [STORY_PARTS[part]]


def test_modules_of_one_story_are_no_cause_for_all() -> None:
    changed = fingerprint(own="something else")
    assert changed != HASHES
    assert describe_changes(HASHES, changed) == []


@pytest.mark.parametrize("source", ["own", "preview"])
def test_built_code_that_changes_with_its_sources_is_no_other_cause(source: str) -> None:
    changed = fingerprint(**dict.fromkeys((source, "code", "built"), "something else"))
    assert describe_changes(HASHES, changed) == [STORY_PARTS[source]] * (source != "own")


@pytest.mark.parametrize(
    "earlier",
    [
        Fingerprint("0" * 64, HASHES.renderer),
        Fingerprint("3:156:AAAAAAAAAA:AAAAAAAAAA:" + "A" * 20, ""),
        Fingerprint("x:", "x:"),
        Fingerprint(HASHES.source, ""),
    ],
)
def test_hashes_of_another_format_are_of_an_earlier_version(earlier: Fingerprint) -> None:
    assert describe_changes(earlier, HASHES) == [
        "the baseline was captured by an earlier version of Visual Review"
    ]


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
    before = source_hashes(project / BUILT, project).hashes or {}
    write(project / name, f"{(project / name).read_text()} and more")
    after = source_hashes(project / BUILT, project).hashes or {}
    pair = (HASHES._replace(source=each["card--a"]) for each in (before, after))
    assert describe_changes(*pair) == [STORY_PARTS[part]]


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
