"""Numbers of changes and groups, and what selects them."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.personas import Personas
from tests.support.worlds import World, build_with_each_state, build_with_groups
from visual_review.actions.extended.selection import ChangeSelection, select_changes
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.comparing.complete import give_numbers
from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.kernel.errors import InvalidInputError, NotFoundError

EACH = {"other": 1, "more": 2, "gone": 3, "broken": 4, "same": None}


def numbers_of(build: Build) -> dict[str, int | None]:
    return dict(Screenshot.objects.filter(build=build).values_list("story_id", "number"))


def selected(
    build: Build, first: int = 0, most: int | None = None, **names: list[str]
) -> list[str]:
    selection = ChangeSelection.model_validate(names)
    return [shot.story_id for shot in select_changes(build, selection, first=first, most=most)]


def test_what_needs_a_review_is_numbered_in_its_order(personas: Personas) -> None:
    _, build = build_with_each_state(personas.alice)
    assert numbers_of(build) == EACH
    build.refresh_from_db()
    assert build.last_number == 4


def test_numbers_are_kept_and_never_given_again(personas: Personas) -> None:
    _, build = build_with_each_state(personas.alice)
    build.refresh_from_db()
    Screenshot.objects.filter(build=build, story_id="broken").update(number=None)
    Screenshot.objects.filter(build=build, story_id="same").update(diff_state="changed")
    give_numbers(build)
    assert numbers_of(build) == EACH | {"same": 5, "broken": 6}
    assert build.last_number == 6
    give_numbers(build)
    assert build.last_number == 6


def test_another_baseline_gives_new_numbers_to_what_it_removes(personas: Personas) -> None:
    world = World(personas.alice)
    for branch, shots in (
        ("main", {"a": "red", "x": "red"}),
        ("release", {"a": "red", "y": "red"}),
    ):
        world.approve(world.publish(shots, branch))
    build = world.publish({"a": "green"}, "feature", target="main")
    assert numbers_of(build) == {"a": 1, "x": 2}
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    event = PullRequestSnapshot(number=1, base_branch="release", updated_at=moment)
    apply_base_branch_change(record_event(world.repository, event).pull_request)
    world.process(world.fresh(build))
    assert numbers_of(build) == {"a": 1, "y": 3}


def test_groups_are_numbered_from_the_most_severe(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)
    found = ChangeGroup.objects.filter(build=build).order_by("position")
    assert [group.number for group in found] == [1, 2, 3]
    build.refresh_from_db()
    assert build.last_group_number == 3


def test_changes_are_selected_by_number_id_group_and_story(personas: Personas) -> None:
    world, build = build_with_groups(personas.alice)
    shot = world.shot(build, "card--c")
    group = ChangeGroup.objects.get(pk=shot.group_id)
    alike = selected(build, groups=[f"G{group.number}"])
    assert alike == ["card--a", "card--b", "card--c"]
    assert selected(build, groups=[group.id]) == alike
    assert selected(build, screenshots=[f"#{shot.number}", str(shot.number), shot.id]) == [
        "card--c"
    ]
    assert selected(build, stories=["menu--a", "card--c"]) == sorted(
        ["menu--a", "card--c"], key=lambda story: numbers_of(build)[story] or 0
    )
    everything = selected(build)
    assert len(everything) == 5
    assert "same--a" not in everything
    assert selected(build, first=2, most=2) == everything[1:3]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"screenshots": ["#99", "#1"]}, "no change '#99'"),
        ({"screenshots": ["shot_0000000000"]}, "no change 'shot_0000000000'"),
        ({"groups": ["G99"]}, "no group 'G99'"),
        ({"stories": ["card--a", "same--a"]}, "no change of the story 'same--a'"),
    ],
)
def test_what_the_build_does_not_have_is_named(
    personas: Personas, names: dict[str, list[str]], message: str
) -> None:
    _, build = build_with_groups(personas.alice)
    with pytest.raises(NotFoundError, match=message):
        selected(build, **names)


@pytest.mark.parametrize("key", ["screenshots", "groups"])
def test_what_is_no_name_is_an_input_error(personas: Personas, key: str) -> None:
    _, build = build_with_groups(personas.alice)
    with pytest.raises(InvalidInputError, match="'card' is neither a number") as caught:
        selected(build, **{key: ["card"]})
    assert caught.value.problems[0][0] == f"/{key}"


def test_another_builds_screenshot_and_group_are_not_found(personas: Personas) -> None:
    world, build = build_with_groups(personas.alice)
    _, other = build_with_groups(personas.mallory)
    shot = world.shot(build, "card--a")
    for names in ({"screenshots": [shot.id]}, {"groups": [str(shot.group_id)]}):
        with pytest.raises(NotFoundError):
            selected(other, **names)


def test_selecting_sends_few_queries(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)
    with CaptureQueriesContext(connection) as queries:
        selected(build, screenshots=["#1"], groups=["G1"], stories=["menu--a"])
    assert len(queries) <= 4
