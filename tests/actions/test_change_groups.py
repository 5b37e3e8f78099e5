"""Groups of screenshots with the same change, approved together, and their numbers."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.action_calls import error_of
from tests.support.deciding import decision_payload
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, World, build_with_each_state, build_with_groups
from visual_review.actions.extended.selection import ChangeSelection, select_changes
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.comparing.complete import complete_recomparison, give_numbers
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build, ChangeGroup, PullRequest, ReviewEntry, Screenshot
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.builds.read_models import screenshot_rows
from visual_review.builds.reviewing.plan import OverrideNeededError
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)
from visual_review.repositories.regions import Rectangle, replace_regions

CARDS = ["card--a", "card--b", "card--c"]
AFTER = dict.fromkeys(CARDS, "green") | {
    "card--d": "blue",
    "menu--a": "white",
    "same--a": "red",
}


def members(build: Build) -> dict[str, list[str]]:
    """Return the stories of each group by the group's id."""
    found: dict[str, list[str]] = {}
    for shot in Screenshot.objects.filter(build=build).exclude(group=None).order_by("story_id"):
        found.setdefault(str(shot.group_id), []).append(shot.story_id)
    return found


def cards(build: Build) -> ChangeGroup:
    return ChangeGroup.objects.get(build=build, screenshot_count=3)


def approval(group: ChangeGroup, **changed: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
    return decision_payload(group.build, "approved", groups=[group]) | changed


def approve(world: World, group: ChangeGroup, *confirmed: str) -> Any:  # noqa: ANN401 - A result.
    return world.act("decide_screenshots", **approval(group, confirmed=[*confirmed]))


def recompare(build: Build) -> None:
    build = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(build.id, remeasure_build(build))


def ignore_everything(build: Build, story: str) -> None:
    variant = (story, "light", "desktop")
    replace_regions(build.product, variant, [Rectangle(0, 0, 1, 1)], "Ann")
    recompare(build)


def test_changed_screenshots_are_in_groups_and_others_are_not(grouped: BuildInReview) -> None:
    _, build = grouped
    assert sorted(members(build).values()) == [CARDS, ["card--d"], ["menu--a"]]
    assert sorted(build.groups.values_list("position", flat=True)) == [0, 1, 2]
    assert sorted(build.groups.values_list("screenshot_count", flat=True)) == [1, 1, 3]


def test_a_screenshot_with_more_changes_is_named_by_the_group_and_not_decided_with_it(
    personas: Personas,
) -> None:
    world = World(personas.bob)
    names = [*CARDS, "card--d"]
    world.approve(world.publish(dict.fromkeys(names, "red/white")))
    build = world.publish(dict.fromkeys(names, "green/white") | {"card--d": "green/blue"})
    more, group = build.groups.order_by("position")
    odd = Screenshot.objects.get(build=build, story_id="card--d")
    assert (group.name, group.remainders) == ("#ff0000 is now #008000", [odd.id])
    assert more.name == "#ff0000 is now #008000, and 1 more change only here"
    # Rare before common, also in the numbers.
    assert (more.screenshot_count, odd.number) == (1, 1)
    assert approve(world, group).decided == 3
    odd.refresh_from_db()
    assert odd.review_decision == ""
    before = {each.key: each.number for each in build.groups.all()}
    ignore_everything(build, "card--a")
    assert {each.key: each.number for each in build.groups.all()} == before


def test_an_approved_group_is_approved_and_audited_once(grouped: BuildInReview) -> None:
    world, build = grouped
    result = approve(world, cards(build))
    assert (result.decided, result.finalized, result.warnings) == (3, False, [])
    entry = AuditEntry.objects.get(verb="group.approved")
    assert entry.target_id == build.id
    assert entry.after is not None
    assert entry.after["groupIds"] == [cards(build).id]
    log = ReviewEntry.objects.filter(build=build, decision="approved")
    assert sorted(log.values_list("story_id", flat=True)) == CARDS


def test_the_last_group_finalizes_the_build(grouped: BuildInReview) -> None:
    world, build = grouped
    groups = build.groups.order_by("screenshot_count")
    results = [approve(world, group, "finalize") for group in groups]
    assert [result.finalized for result in results] == [False, False, True]
    assert world.baseline() == AFTER


def test_a_rejected_member_stays_rejected_unless_that_is_confirmed(grouped: BuildInReview) -> None:
    world, build = grouped
    shot = world.shot(build, "card--b")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="Too green")
    wanted = approval(cards(build))
    error = error_of(OverrideNeededError, world.persona, "decide_screenshots", **wanted)
    assert "a decision of Bob" in str(error)
    assert world.states(build)["card--b"] == "changed rejected"
    assert approve(world, cards(build), "override").decided == 3


def test_a_decided_group_is_not_decided_again(grouped: BuildInReview) -> None:
    world, build = grouped
    approve(world, cards(build))
    assert approve(world, cards(build)).decided == 0
    assert ReviewEntry.objects.filter(build=build).count() == 3
    assert AuditEntry.objects.filter(verb="group.approved").count() == 1


def test_a_group_that_changed_since_it_was_shown_is_a_conflict(grouped: BuildInReview) -> None:
    world, build = grouped
    shown = cards(build)
    ignore_everything(build, "card--b")
    with pytest.raises((ConflictError, NotFoundError)):
        approve(world, shown)
    assert world.states(build)["card--a"] == "changed"


def test_an_outdated_revision_is_a_conflict(grouped: BuildInReview) -> None:
    world, build = grouped
    wrong = approval(cards(build), groups=[{"id": cards(build).id, "revision": "0" * 64}])
    error = error_of(ConflictError, world.persona, "decide_screenshots", **wrong)
    assert "has changed" in str(error)


def test_a_build_that_is_not_completed_is_a_conflict(grouped: BuildInReview) -> None:
    world, build = grouped
    Build.objects.filter(pk=build.pk).update(status="processing")
    error_of(ConflictError, world.persona, "decide_screenshots", **approval(cards(build)))


def test_unknown_and_foreign_groups_are_not_found(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    group = cards(build)
    other = world.publish(AFTER | {"menu--a": "black"}, "other")
    unknown = [{"id": "group_none", "revision": group.revision}]
    for caller, error, wrong in (
        (personas.mallory, NotFoundError, {}),
        # For all a reviewer knows, the build was compared again.
        (personas.bob, ConflictError, {"groups": unknown}),
        (personas.bob, ConflictError, {"buildId": other.id}),
        (personas.bob, NotFoundError, {"buildId": "build_none"}),
    ):
        error_of(error, caller, "decide_screenshots", **approval(group, **wrong))


def test_a_viewer_is_forbidden(grouped: BuildInReview, personas: Personas) -> None:
    _, build = grouped
    error_of(ForbiddenError, personas.carol, "decide_screenshots", **approval(cards(build)))


def test_a_base_branch_change_deletes_the_groups_until_the_build_is_compared(
    grouped: BuildInReview,
) -> None:
    world, _ = grouped
    release = world.publish(dict.fromkeys(AFTER, "red") | {"menu--a": "black"}, "release")
    world.approve(release)
    pull = world.publish(AFTER, "topic", target="main")
    assert len(members(pull)) == 3
    row = PullRequest.objects.get(repository=world.repository, number=1)
    row.base_branch = "release"
    row.save()
    assert apply_base_branch_change(row) == [pull.id]
    assert not ChangeGroup.objects.filter(build=pull).exists()
    assert len(members(world.process(pull))) == 3


def test_a_recomparison_keeps_the_ids_of_unchanged_groups(grouped: BuildInReview) -> None:
    _, build = grouped
    before = members(build)
    recompare(build)
    assert members(build) == before
    ignore_everything(build, "menu--a")
    after = {group: stories for group, stories in before.items() if stories != ["menu--a"]}
    assert members(build) == after
    assert ChangeGroup.objects.filter(build=build).count() == 2


def test_groups_are_deleted_with_their_build(grouped: BuildInReview) -> None:
    _, build = grouped
    build.review_log.all().delete()
    build.delete()
    assert not ChangeGroup.objects.filter(build=build.pk).exists()


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


def test_groups_that_are_replaced_during_a_read_are_as_if_not_there(personas: Personas) -> None:
    _, build = build_with_groups(personas.alice)

    def replace(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        if 'FROM "builds_changegroup"' in sql and sql.startswith("SELECT"):
            with connection.cursor() as cursor:
                cursor.execute("UPDATE builds_screenshot SET group_id = NULL")
                cursor.execute("DELETE FROM builds_changegroup")
        return execute(sql, *rest)

    with connection.execute_wrapper(replace):
        rows = screenshot_rows(build)
    assert len(rows) == 6
    assert {row.group__position for row in rows} == {None}
