"""Groups of screenshots that changed alike: found with the verdict, approved together."""

from typing import Any

import pytest

from tests.support.action_calls import error_of
from tests.support.deciding import decision_payload
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, World
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build, ChangeGroup, PullRequest, ReviewEntry, Screenshot
from visual_review.builds.reviewing.plan import OverrideNeededError
from visual_review.kernel.errors import ConflictError, ForbiddenError, NotFoundError
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
        # Its build was compared again, as far as the reviewer can know.
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
