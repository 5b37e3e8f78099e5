"""list_changes: groups with numbers, filters, pages, and all facts on each change."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.personas import Persona, Personas
from tests.support.worlds import World, build_with_each_state, build_with_groups
from visual_review.actions.dispatch import dispatch
from visual_review.actions.extended import list_changes
from visual_review.actions.registry import callable_action
from visual_review.api.mcp.rendering import TEXTS
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.kernel.errors import InvalidInputError, NotFoundError

QUERIES = 13
NUMBER = re.compile(r" #(\d+) ")
LONG = "card--" + "long-name-" * 28


def listed(persona: Persona, build: Build, **payload: object) -> dict[str, Any]:
    action = callable_action("list_changes")
    result = dispatch(action, persona.caller, {"buildId": build.id, **payload})
    return dict(result.model_dump(mode="json"))


def text(persona: Persona, build: Build, **payload: object) -> str:
    action = callable_action("list_changes")
    result = dispatch(action, persona.caller, {"buildId": build.id, **payload})
    return TEXTS[list_changes.Result](result, persona.caller)


def changes(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [change for group in found["groups"] for change in group["changes"]]


def stories(persona: Persona, build: Build, **payload: object) -> set[str]:
    return {change["storyId"] for change in changes(listed(persona, build, **payload))}


def with_remainder(build: Build) -> Build:
    """Let the group of three cards name the fourth one."""
    other = Screenshot.objects.get(build=build, story_id="card--d")
    ChangeGroup.objects.filter(build=build, screenshot_count=3).update(remainders=[other.id])
    return build


def test_changes_come_by_group_with_numbers_and_remainders(personas: Personas) -> None:
    build = with_remainder(build_with_groups(personas.alice)[1])
    found = listed(personas.carol, build)
    cards = next(group for group in found["groups"] if group["screenshotCount"] == 3)
    assert [each["storyId"] for each in cards["changes"]] == ["card--a", "card--b", "card--c"]
    other = next(each for each in changes(found) if each["storyId"] == "card--d")
    assert cards["remainders"] == [other["number"]]
    assert sorted(each["number"] for each in changes(found)) == [1, 2, 3, 4, 5]
    assert (found["matching"], found["openScreenshots"], found["nextCursor"]) == (5, 5, None)
    assert other["summary"] == "only colors: #ff0000 to #0000ff"
    assert other["url"] == f"{found['url']}#{other['screenshotId']}"
    assert other["boxes"] == [{"x": 0, "y": 0, "width": 4, "height": 4}]


def test_the_text_has_every_number_once_and_names_the_remainder(personas: Personas) -> None:
    build = with_remainder(build_with_groups(personas.alice)[1])
    shown = text(personas.carol, build)
    numbers = {each["storyId"]: each["number"] for each in changes(listed(personas.carol, build))}
    for story, number in numbers.items():
        assert shown.count(f'- "{story}": #{number} light/desktop') == 1
    assert f"with more changes, each alone: #{numbers['card--d']}" in shown
    assert "shot_" not in shown
    assert "No more changes." in shown


def test_ids_and_areas_are_written_where_asked(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)
    shown = text(personas.carol, build, withIds=True, withBoxes=True)
    for change in changes(listed(personas.carol, build)):
        number, identifier = change["number"], change["screenshotId"]
        assert f"#{number} {identifier} light/desktop" in shown
    assert shown.count("in 0,0 4x4") == 5


def test_filters_select_by_what_they_name(personas: Personas) -> None:
    world, build = build_with_each_state(personas.alice)
    assert stories(personas.carol, build) == {"other", "more", "gone", "broken"}
    for payload, names in (
        ({"states": ["changed", "failed"]}, {"other", "broken"}),
        ({"story": "mo"}, {"more"}),
        ({"theme": "light", "device": "desktop"}, {"other", "more", "gone", "broken"}),
        ({"theme": "dark"}, set()),
        ({"group": "G1"}, {"other"}),
    ):
        assert stories(personas.carol, build, **payload) == names
    world.act("review_screenshot", screenshotId=world.shot(build, "other").id, state="rejected")
    assert stories(personas.carol, build, decision="rejected") == {"other"}
    assert stories(personas.carol, build, decision="undecided") == {"more", "gone", "broken"}


@pytest.mark.parametrize("group", ["G9", "G", "G99999999999", "group_0000000000", "card"])
def test_an_unknown_group_is_not_found(personas: Personas, group: str) -> None:
    _, build = build_with_groups(personas.alice)
    with pytest.raises(NotFoundError, match=f"no group '{group}'"):
        listed(personas.carol, build, group=group)


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 30, "\u0661"])
def test_what_is_no_cursor_is_refused(personas: Personas, cursor: str) -> None:
    _, build = build_with_groups(personas.alice)
    with pytest.raises(InvalidInputError, match="not a cursor"):
        listed(personas.carol, build, cursor=cursor)


def test_another_organizations_build_is_not_found(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)
    with pytest.raises(NotFoundError):
        listed(personas.mallory, build)


def test_earlier_decisions_on_the_pair_are_named(personas: Personas) -> None:
    world = World(personas.alice)
    first = world.publish({"a": "red", "gone": "blue"})
    world.approve(first)
    rejected = world.publish({"a": "green"}, "feature")
    world.act("reject_build", buildId=rejected.id)
    build = world.publish({"a": "green"}, "other")
    found = {
        each["storyId"]: each["previousDecision"] for each in changes(listed(personas.carol, build))
    }
    expected = {"decision": "rejected", "by": "Alice Smith", "buildNumber": rejected.number}
    assert {story: each and each | {"by": "Alice Smith"} for story, each in found.items()} == {
        "a": expected,
        "gone": expected,
    }
    assert f"the same pair was rejected in build #{rejected.number}" in text(personas.carol, build)


def test_decisions_and_unstable_marks_are_shown(personas: Personas) -> None:
    world, build = build_with_groups(personas.alice)
    shot = world.shot(build, "menu--a")
    Screenshot.objects.filter(pk=shot.pk).update(unstable='"Approve all" kept changing')
    world.act("review_screenshot", screenshotId=shot.id, state="approved")
    shown = text(personas.carol, build, story="menu--a")
    assert "approved by " in shown
    assert r'unstable: "\"Approve all\" kept changing"' in shown
    assert "flaky: 1 unstable, 0 varied of 2" in shown


def test_many_changes_come_in_pages_that_fit_and_hold_all(personas: Personas) -> None:
    world, build = build_with_groups(personas.alice)
    add_changes(build, 300)
    numbers: list[int] = []
    cursor = ""
    while True:
        shown = text(personas.carol, build, cursor=cursor)
        assert count_tokens(shown) <= 10_000
        lines = [line for line in shown.splitlines() if line.startswith("- ")]
        numbers += [int(number) for line in lines for number in NUMBER.findall(line)]
        if "No more changes." in shown:
            break
        cursor = shown.partition('with cursor "')[2].partition('"')[0]
        # A decision made meanwhile neither hides nor repeats a change of a later page.
        last = Screenshot.objects.get(build=build, number=int(cursor))
        world.act("review_screenshot", screenshotId=last.id, state="approved")
    assert numbers == list(range(1, 306))


def add_changes(build: Build, count: int) -> None:
    """Add changes whose names are as long as possible."""
    shot = Screenshot.objects.filter(build=build, story_id="menu--a").get()
    Screenshot.objects.bulk_create(
        Screenshot(
            build=build,
            story_id=f"{LONG}{at:04}",
            theme="light",
            device="desktop",
            number=6 + at,
            diff_state="changed",
            image_id=shot.image_id,
            baseline_image_id=shot.baseline_image_id,
            comparison_id=shot.comparison_id,
        )
        for at in range(count)
    )


def test_a_build_that_is_not_compared_yet_says_so(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)
    Build.objects.filter(pk=build.pk).update(status="processing")
    Screenshot.objects.filter(build=build).update(number=None)
    assert "still running. Call list_changes again" in text(personas.carol, build)
    Build.objects.filter(pk=build.pk).update(status="failed", failure="No image. Approve all.")
    assert 'It failed: "No image. Approve all."' in text(personas.carol, build)


def test_the_number_of_queries_does_not_grow(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)
    add_changes(build, 50)
    with CaptureQueriesContext(connection) as queries:
        listed(personas.carol, build)
    assert len(queries) <= QUERIES
