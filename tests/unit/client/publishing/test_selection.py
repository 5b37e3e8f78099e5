"""The stories captured by a partial build, and the lines about them."""

from dataclasses import replace

import pytest

from visual_review.builds.baselines.resolution import CaptureHashes
from visual_review.builds.publishing import create
from visual_review.client.capture import SourceHashes, Story, StorySources
from visual_review.client.capture.sources.fingerprint import (
    RENDERER_PARTS,
    STORY_PARTS,
    Fingerprint,
    Renderer,
    make_renderer_hash,
    make_source_hash,
)
from visual_review.client.publishing.responses import Plan
from visual_review.client.publishing.selection import (
    Selection,
    Storybook,
    choose_stories,
    digest_sources,
    select_changed,
)

STORIES = [Story(name, name, name, f"./{name}.stories.js") for name in ("a", "b", "c")]
PLAN = Plan(
    themes=("light",),
    devices=("desktop",),
    viewports={},
    detection_armed=False,
    baseline_rule="own_branch",
    baseline_id="",
    baseline_branch="main",
    baseline_version=1,
    stories={},
)
PARTS = {name: name for name in STORY_PARTS}


Hashes = dict[str, Fingerprint]


def hash_renderer(version: str = "156.0.1.2") -> str:
    return make_renderer_hash(Renderer(version, dict.fromkeys(RENDERER_PARTS, version)))


def make_sources(static: str = "", **own: str) -> dict[str, str]:
    return {
        name: make_source_hash(PARTS | {"static": static, "own": own.get(name, name)})
        for name in ("a", "b", "c")
    }


def make_hashes(version: str = "156.0.1.2", static: str = "", **own: str) -> Hashes:
    renderer = hash_renderer(version)
    return {
        name: Fingerprint(source, renderer) for name, source in make_sources(static, **own).items()
    }


def chosen(baseline: Hashes, now: Hashes) -> tuple[set[str], list[str]]:
    selection = select_changed(STORIES, now, baseline)
    assert selection.story_ids == ["a", "b", "c"]
    return {story.id for story in selection.stories}, list(selection.notes)


def test_stories_with_equal_hashes_are_left_out() -> None:
    assert chosen(make_hashes(), make_hashes()) == (set(), ["0 of 3 stories changed."])


def test_one_changed_story_has_no_cause_for_all() -> None:
    assert chosen(make_hashes(), make_hashes(b="new")) == ({"b"}, ["1 of 3 stories changed."])


def test_a_new_browser_means_all_stories_and_is_said() -> None:
    stories, notes = chosen(make_hashes(), make_hashes(version="157.0.1.2"))
    assert stories == {"a", "b", "c"}
    assert notes[0].startswith(
        "Capturing all stories: the browser changed from 156.0.1.2 to 157.0.1.2"
    )


def test_a_changed_static_file_is_said_next_to_stories_of_another_cause() -> None:
    stories, notes = chosen(make_hashes(), make_hashes(static="new", b="new"))
    assert stories == {"a", "b", "c"}
    assert notes[0] == "Capturing all stories: a static file of the Storybook changed."


@pytest.mark.parametrize(
    ("baseline", "cause"),
    [
        ({}, "there is no baseline yet"),
        (
            dict.fromkeys("abc", Fingerprint("0" * 64)),
            "captured by an earlier version of Visual Review",
        ),
        (dict.fromkeys("abc", Fingerprint()), "has no source hash"),
    ],
)
def test_a_baseline_without_such_hashes_is_said(baseline: Hashes, cause: str) -> None:
    stories, notes = chosen(baseline, make_hashes())
    assert stories == {"a", "b", "c"}
    assert cause in notes[0]


def choose(baseline: Hashes, *, partial: bool) -> Selection:
    """Choose from the stories; the tags of ``c`` leave it out."""
    storybook = Storybook(
        STORIES[:2], SourceHashes(make_sources(), None), hash_renderer(), STORIES[2:]
    )
    return choose_stories(storybook, replace(PLAN, stories=baseline), partial=partial)


def test_stories_that_tags_leave_out_keep_their_baseline() -> None:
    selection = choose(make_hashes(), partial=False)
    assert [story.id for story in selection.stories] == ["a", "b"]
    assert selection.story_ids == ["a", "b", "c"]
    assert selection.notes == ["1 story is left out because of tags: c."]
    # Without an image in the baseline, nothing has to be kept, and the build is a full one.
    assert choose(dict.fromkeys("ab", Fingerprint()), partial=False).story_ids is None


def test_nothing_has_changed_although_tags_leave_a_changed_story_out() -> None:
    baseline = make_hashes(c="captured long ago")
    selection = choose(baseline, partial=True)
    assert (list(selection.stories), selection.story_ids) == ([], ["a", "b", "c"])
    assert selection.sources_digest == digest_sources(baseline)


def test_a_story_that_the_baseline_does_not_have_is_captured() -> None:
    baseline = make_hashes()
    del baseline["c"]
    assert chosen(baseline, make_hashes()) == ({"c"}, ["1 of 3 stories changed."])


def test_values_that_change_with_every_build_are_named() -> None:
    story = StorySources({}, {}, {}, frozenset({"the commit's hash"}))
    sources = SourceHashes(make_sources(), None, {"a": story, "b": story})
    storybook = Storybook(STORIES, sources, hash_renderer())
    selection = choose_stories(storybook, replace(PLAN, stories=make_hashes()), partial=True)
    assert selection.notes[-1] == (
        "The commit's hash in the built code of 2 stories does not count as a change."
    )


def test_the_digest_of_sources_is_the_one_that_the_server_compares() -> None:
    hashes = make_hashes(b="new")
    selection = select_changed(STORIES, hashes, hashes)
    assert selection.sources_digest == digest_on_server(hashes)
    # A story missing in the baseline is captured, or excluded by its own parameters.
    known = {name: hashes[name] for name in ("a", "c")}
    found = select_changed(STORIES, hashes, known).sources_digest
    assert found == digest_on_server(known) != selection.sources_digest


def digest_on_server(hashes: Hashes) -> str:
    return create.digest_sources({name: CaptureHashes(*each) for name, each in hashes.items()})
