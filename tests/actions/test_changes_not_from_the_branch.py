"""Changes with the baseline's sources: one group at the end, with one decision."""

from typing import Any

from tests.support.worlds import World
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import BaselineEntry, Build, ChangeGroup, Screenshot
from visual_review.builds.states import NOT_FROM_BRANCH
from visual_review.client.capture.sources.fingerprint import (
    RENDERER_PARTS,
    Renderer,
    make_renderer_hash,
)


def renderer(version: str) -> str:
    return make_renderer_hash(Renderer(version, dict.fromkeys(RENDERER_PARTS, version)))


# Without the settings of the capture, since a branch may have changed them.
OLD = renderer("150.0.1.2")
NEW = make_renderer_hash(
    Renderer("156.0.1.2", {**dict.fromkeys(RENDERER_PARTS, "156"), "settings": "150.0.1.2"})
)
STORIES = ("card--a", "card--b", "menu--a", "menu--b", "old--a")
BEFORE = dict.fromkeys(STORIES, ("source", OLD)) | {"old--a": ("source", "")}
AFTER = {
    "card--a": ("source", NEW),
    "card--b": ("source", OLD),
    "menu--a": ("changed", NEW),
    "menu--b": ("source", NEW),
    "old--a": ("source", NEW),
}


def fields(hashes: dict[str, tuple[str, str]]) -> dict[str, dict[str, str]]:
    names = ("source_hash", "renderer_hash")
    return {story: dict(zip(names, each, strict=True)) for story, each in hashes.items()}


def publish(world: World) -> Build:
    """Publish a build in which all but ``menu--b`` look different, and a new story."""
    first = world.upload(dict.fromkeys(STORIES, "red"), hashes=fields(BEFORE))
    world.approve(world.finish(first))
    shots = dict.fromkeys(STORIES, "green") | {"menu--b": "red", "new--a": "blue"}
    return world.finish(world.upload(shots, hashes=fields(AFTER)))


def listed(world: World, build: Build) -> list[dict[str, Any]]:
    found = world.act("list_changes", buildId=build.id).model_dump(mode="json")
    return [
        {
            "name": group["name"],
            "stories": {each["storyId"]: each["notFromBranch"] for each in group["changes"]},
        }
        for group in found["groups"]
    ]


def test_they_are_one_group_at_the_end(world: World) -> None:
    *_, new, last = listed(world, publish(world))
    assert new["stories"] == {"new--a": None}
    assert last == {
        "name": "Not from this branch: Chromium 150 to 156 (1), unstable (1)",
        "stories": {"card--a": "Chromium 150 to 156", "card--b": "unstable"},
    }


def test_changed_sources_and_unknown_hashes_never_land_there(world: World) -> None:
    build = publish(world)
    own = {"menu--a", "old--a"}
    rows = Screenshot.objects.filter(build=build, story_id__in=own)
    assert {row.story_id for row in rows if not row.not_from_branch} == own
    assert not rows.filter(group__key=NOT_FROM_BRANCH).exists()


def test_one_decision_is_enough(world: World) -> None:
    build = publish(world)
    group = ChangeGroup.objects.get(build=build, key=NOT_FROM_BRANCH)
    seen = world.act("list_changes", buildId=build.id).model_dump(mode="json")["seen"]
    decision = {"state": "approved", "groups": [f"G{group.number}"]}
    world.act("review_changes", buildId=build.id, seen=seen, requestId="once", decisions=[decision])
    decided = Screenshot.objects.filter(build=build, review_decision="approved")
    assert {row.story_id for row in decided} == {"card--a", "card--b"}


def test_the_baseline_has_both_hashes_after_the_approval(world: World) -> None:
    build = publish(world)
    world.approve(build)
    entries = BaselineEntry.objects.filter(to_version=None, story_id__in=AFTER)
    assert {row.story_id: (row.source_hash, row.renderer_hash) for row in entries} == AFTER


def test_a_comparison_with_new_regions_keeps_them_there(world: World) -> None:
    build = publish(world)
    world.act(
        "set_dynamic_regions",
        repoId=world.repository.id,
        storyId="menu--a",
        theme="light",
        device="desktop",
        regions=[{"x": 0, "y": 0, "width": 1, "height": 1}],
    )
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))
    assert world.shot(build, "menu--a").diff_state == "unchanged"
    assert list(listed(world, build)[-1]["stories"]) == ["card--a", "card--b"]
