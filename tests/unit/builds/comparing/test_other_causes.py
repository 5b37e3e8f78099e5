"""Changes not caused by the branch, recognized by the hashes of both screenshots."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.comparing.change_groups import (
    PARTS,
    CapturedWith,
    find_other_cause,
    name_other_causes,
)
from visual_review.client.capture.sources.fingerprint import (
    RENDERER_PARTS,
    STORY_PARTS,
    Renderer,
    make_renderer_hash,
    make_source_hash,
)

RENDERER = Renderer("150.0.8078.79", dict.fromkeys(RENDERER_PARTS, "same"))
SOURCE = make_source_hash(dict.fromkeys(STORY_PARTS, "same"))
BEFORE = CapturedWith(SOURCE, make_renderer_hash(RENDERER))


def cause(version: str = RENDERER.version, **parts: str) -> str:
    renderer = replace(RENDERER, version=version, parts={**RENDERER.parts, **parts})
    return find_other_cause(BEFORE, CapturedWith(SOURCE, make_renderer_hash(renderer)))


def test_another_browser_is_named_with_both_versions() -> None:
    assert cause("156.0.1.2", browser="other") == "Chromium 150 to 156"
    assert cause("150.0.9.1", browser="other") == "Chromium 150.0.8078.79 to 150.0.9.1"


def test_the_server_reads_the_parts_in_the_order_in_which_clients_write_them() -> None:
    assert list(PARTS) == list(RENDERER_PARTS)
    assert cause(fonts="other") == "other fonts"
    assert cause(fonts="other", capture="other") == "other fonts, another version of Visual Review"


def test_equal_hashes_mean_an_unstable_story() -> None:
    assert cause() == "unstable"


def test_the_branch_may_have_changed_its_own_settings() -> None:
    assert cause(settings="other") == ""
    assert cause("156.0.1.2", browser="other", settings="other") == ""


@pytest.mark.parametrize("name", ["source", "renderer"])
def test_screenshots_without_hashes_claim_nothing(name: str) -> None:
    unknown = BEFORE._replace(**{name: ""})
    assert find_other_cause(unknown, BEFORE) == ""
    assert find_other_cause(BEFORE, unknown) == ""
    assert find_other_cause(unknown, unknown) == ""


@given(st.dictionaries(st.sampled_from(list(STORY_PARTS)), st.text(min_size=5), min_size=1))
def test_changed_sources_are_never_another_cause(changed: dict[str, str]) -> None:
    source = make_source_hash({**dict.fromkeys(STORY_PARTS, "same"), **changed})
    for renderer in (BEFORE.renderer, make_renderer_hash(replace(RENDERER, version="156.0"))):
        assert find_other_cause(BEFORE, CapturedWith(source, renderer)) == ""


@given(st.text(max_size=64), st.text(max_size=64))
def test_hashes_of_other_clients_raise_nothing(before: str, after: str) -> None:
    found = find_other_cause(CapturedWith("x", before), CapturedWith("x", after))
    assert found == ("unstable" if before == after != "" else "") or "Chromium" in found


def test_a_group_names_its_causes_the_most_frequent_first() -> None:
    assert name_other_causes(["unstable"]) == "Not from this branch: unstable"
    causes = ["unstable", *["Chromium 150 to 156"] * 3]
    assert name_other_causes(causes) == (
        "Not from this branch: Chromium 150 to 156 (3), unstable (1)"
    )
