"""The rules of baselines and decisions, each with an example in a real database."""

import pytest

from tests.support.personas import Personas
from tests.support.worlds import DESKTOP, World, world_with_baseline
from visual_review.audit.log import SYSTEM
from visual_review.builds.baselines.store import current_entries
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Baseline, BaselineVersion, Build, ReviewEntry, Screenshot
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.manifest import add_screenshots
from visual_review.builds.publishing.requests import AnnouncedShot
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.requests import CONFIRMED, DecisionRequest, Selection
from visual_review.builds.variants import Variant
from visual_review.kernel.errors import ConflictError, NotFoundError

APPROVE = DecisionRequest("approved", Selection(whole_build=True), confirmed=CONFIRMED)


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def test_a_first_build_is_all_new_and_its_approval_makes_the_baseline(world: World) -> None:
    first = world.publish({"a": "red", "b": "blue"})
    assert world.states(first) == {"a": "new", "b": "new"}
    assert (first.review_state, first.baseline_rule) == ("unreviewed", "none")
    world.approve(first)
    assert world.baseline() == {"a": "red", "b": "blue"}
    second = world.publish({"a": "red", "b": "blue"})
    assert second.review_state == "not_required"


def test_the_last_open_screenshot_finalizes_the_build(world: World) -> None:
    build = world.publish({"a": "red", "b": "blue"})
    first = world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert (first.finalized, world.baseline()) == (False, {})
    second = world.act(
        "review_screenshot", screenshotId=world.shot(build, "b").id, state="approved"
    )
    assert second.finalized
    assert world.fresh(build).review_state == "approved"
    assert world.baseline() == {"a": "red", "b": "blue"}


def test_a_rejection_finalizes_nothing_and_keeps_its_comment(world: World) -> None:
    build = world.publish({"a": "red", "b": "blue"})
    shot = world.shot(build, "a")
    result = world.act(
        "review_screenshot", screenshotId=shot.id, state="rejected", comment="Too red"
    )
    assert (result.finalized, result.review_state) == (False, "unreviewed")
    shot.refresh_from_db()
    assert (shot.review_decision, shot.comment) == ("rejected", "Too red")


def test_approve_build_includes_rejected_screenshots(world: World) -> None:
    build = world.publish({"a": "red"})
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="rejected")
    world.approve(build)
    assert world.states(build) == {"a": "new approved"}


def test_reject_build_changes_no_baseline_even_of_its_own(world: World) -> None:
    build = world.publish({"a": "red"})
    world.approve(build)
    result = world.act("reject_build", buildId=build.id)
    assert world.baseline() == {"a": "red"}
    assert result.review_state == "rejected"
    assert any("restore" in warning for warning in result.warnings)


def test_removed_stories_leave_the_baseline_with_the_approval(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    build = world.publish({"a": "green"})
    assert world.states(build) == {"a": "changed", "b": "removed"}
    result = world.act(
        "review_screenshot", screenshotId=world.shot(build, "a").id, state="approved"
    )
    assert (result.finalized, result.accepted_removals) == (True, 1)
    assert world.baseline() == {"a": "green"}


def test_removals_alone_need_their_approval(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    build = world.publish({"a": "red"})
    assert build.review_state == "unreviewed"
    world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="approved")
    assert world.fresh(build).review_state == "approved"
    assert world.baseline() == {"a": "red"}


def test_a_rejected_removal_keeps_its_entry(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    build = world.publish({"a": "green"})
    world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="rejected")
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert world.baseline() == {"a": "green", "b": "blue"}


def test_a_failure_needs_approve_build_and_keeps_the_branchs_entry(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    build = world.publish({"a": "green", "b": "error"})
    assert world.states(build) == {"a": "changed", "b": "failed"}
    with pytest.raises(ConflictError, match="failed"):
        world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="approved")
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert world.fresh(build).review_state == "unreviewed"
    world.approve(build)
    assert world.baseline() == {"a": "green", "b": "blue"}


def test_a_pull_request_is_compared_with_its_base_branch_and_changes_its_own_baseline(
    personas: Personas,
) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    build = world.publish({"a": "blue"}, "feature", target="main")
    assert (build.baseline_rule, world.states(build)) == ("target_branch", {"a": "changed"})
    world.approve(build)
    assert world.baseline("main") == {"a": "red"}
    assert world.baseline("feature") == {"a": "blue"}


def test_a_second_push_needs_no_review(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    first = world.publish({"a": "blue"}, "feature", target="main")
    world.approve(first)
    second = world.publish({"a": "blue"}, "feature", target="main")
    assert (second.review_state, second.decision_source) == ("approved", "carried_over")
    merged = world.publish({"a": "blue"})
    assert (merged.review_state, merged.decision_source) == ("approved", "carried_over")
    assert world.baseline() == {"a": "blue"}


def test_going_back_to_a_former_image_needs_a_review_again(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    world.approve(world.publish({"a": "blue"}))
    back = world.publish({"a": "red"})
    assert world.states(back) == {"a": "changed"}
    assert world.shot(back, "a").matches_former_baseline
    world.approve(back)
    forth = world.publish({"a": "blue"})
    assert forth.review_state == "unreviewed"


def test_a_later_rejection_of_the_pair_stops_carrying_over(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    first = world.publish({"a": "blue"}, "feature", target="main")
    world.approve(first)
    world.act("reject_build", buildId=first.id)
    assert world.publish({"a": "blue"}, "feature", target="main").review_state == "unreviewed"


def test_a_removal_is_carried_over_like_a_change(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    feature = world.publish({"a": "red"}, "feature", target="main")
    world.approve(feature)
    merged = world.publish({"a": "red"})
    assert merged.decision_source == "carried_over"
    assert world.baseline() == {"a": "red"}


def test_a_removal_that_no_one_decided_is_not_carried_over(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    feature = world.publish({"a": "green"}, "feature", target="main")
    result = world.act("approve_story_screenshots", buildId=feature.id, storyId="a")
    assert (result.finalized, result.accepted_removals) == (True, 1)
    merged = world.publish({"a": "green"})
    assert world.states(merged) == {"a": "changed approved", "b": "removed"}
    assert merged.review_state == "unreviewed"


def test_approving_an_older_build_is_a_rollback_with_a_warning(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    older = world.publish({"a": "blue"})
    newer = world.publish({"a": "green"})
    world.approve(newer)
    result = world.approve(older)
    assert any("older" in warning for warning in result.warnings)
    assert world.baseline() == {"a": "blue"}


def test_approving_twice_creates_one_version(world: World) -> None:
    build = world.publish({"a": "red"})
    first = world.approve(build)
    second = world.approve(build)
    assert (first.baseline_move, second.baseline_move) == (1, None)


def test_a_partial_build_inherits_and_cannot_revert_a_newer_decision(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    partial = world.publish({"a": "green"}, stories=["a", "b"])
    assert world.states(partial) == {"a": "changed", "b": "unchanged"}
    assert world.shot(partial, "b").inherited
    newer = world.publish({"a": "red", "b": "yellow"})
    world.approve(newer)
    world.approve(partial)
    assert world.baseline() == {"a": "green", "b": "yellow"}


def test_a_partial_build_removes_stories_that_no_longer_exist(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    partial = world.publish({}, stories=["a"])
    assert world.states(partial) == {"a": "unchanged", "b": "removed"}
    world.approve(partial)
    assert world.baseline() == {"a": "red"}


def test_a_forks_main_is_another_branch(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    fork = world.publish({"a": "blue"}, "main", fork="someone/web", target="main")
    assert world.states(fork) == {"a": "changed"}
    world.approve(fork)
    assert world.baseline() == {"a": "red"}
    assert world.baseline("main", "someone/web") == {"a": "blue"}


def test_a_restore_creates_a_version_with_the_older_set(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    second = world.publish({"a": "blue", "b": "green"})
    world.approve(second)
    baseline = second.product.baselines.get()
    result = world.act("restore_baseline", baselineId=baseline.id, version=1, reason="Oops")
    assert result.version == 3
    assert world.baseline() == {"a": "red"}


def test_a_build_deleted_after_its_lookup_is_not_found(world: World) -> None:
    build = world.publish({"a": "red"})
    world.repository.delete()
    with pytest.raises(NotFoundError):
        decide(world.persona.organization.id, build.id, APPROVE, Decider(source="user"))


def test_a_build_that_is_not_completed_cannot_be_decided(world: World) -> None:
    build = world.upload({"a": "red"})
    for action in ("approve_build", "reject_build", "approve_all_screenshots"):
        with pytest.raises(ConflictError, match="uploading"):
            world.act(action, buildId=build.id)


def test_a_newer_build_supersedes_an_undecided_one(world: World) -> None:
    older = world.publish({"a": "red"})
    newer = world.publish({"a": "red"})
    assert world.fresh(older).superseded_by_id == newer.id


def test_a_baseline_has_one_image_for_a_story_and_variant(world: World) -> None:
    for color in ("red", "blue", "red"):
        world.approve(world.publish({"a": color}))
    lifetimes = (
        Baseline.objects.get().entries.order_by("id").values_list("from_version", "to_version")
    )
    assert list(lifetimes) == [(1, 2), (2, 3), (3, None)]


def test_a_build_is_compared_with_the_first_baseline_that_its_rule_finds(world: World) -> None:
    assert world.publish({"a": "red"}, "feature").baseline_rule == "none"
    world.approve(world.publish({"a": "red"}))
    assert world.publish({"a": "red"}, "feature").baseline_rule == "default_branch"
    world.approve(world.publish({"a": "blue"}, "feature"))
    assert world.publish({"a": "red"}, "feature").baseline_rule == "own_branch"
    request = world.publish({"a": "red"}, "feature", target="main")
    assert (request.baseline_rule, request.baseline_version) == ("target_branch", 1)


def test_the_result_counts_the_accepted_removals(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, dict.fromkeys("abc", "red"))
    build = world.publish({"a": "red"})
    assert world.approve(build).accepted_removals == 2


def test_a_removal_accepted_later_leaves_the_baseline_then(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    build = world.publish({"a": "green"})
    removed, changed = world.shot(build, "b").id, world.shot(build, "a").id
    world.act("review_screenshot", screenshotId=removed, state="rejected")
    world.act("review_screenshot", screenshotId=changed, state="approved")
    assert world.baseline() == {"a": "green", "b": "blue"}
    result = world.act("review_screenshot", screenshotId=removed, state="approved")
    assert (result.finalized, world.baseline()) == (True, {"a": "green"})


def test_a_repeated_decision_does_not_restore_an_older_build(world: World) -> None:
    older = world.publish({"a": "red"})
    shot = world.shot(older, "a").id
    world.act("review_screenshot", screenshotId=shot, state="approved")
    world.approve(world.publish({"a": "blue"}))
    again = world.act("review_screenshot", screenshotId=shot, state="approved")
    assert (again.finalized, again.review_state) == (False, "approved")
    world.act("approve_story_screenshots", buildId=older.id, storyId="a")
    assert world.baseline() == {"a": "blue"}


def test_every_decision_stays_in_the_review_log(world: World) -> None:
    build = world.publish({"a": "red"})
    shot = world.shot(build, "a").id
    world.act("review_screenshot", screenshotId=shot, state="rejected", comment="Too red")
    world.approve(build)
    world.act("reject_build", buildId=build.id)
    rows = ReviewEntry.objects.filter(build=build).values_list("decision", "comment", "screenshot")
    assert list(rows) == [
        ("rejected", "Too red", shot),
        ("approved", "", shot),
        ("approved", "", None),
        ("rejected", "", shot),
        ("rejected", "", None),
    ]


def test_a_carried_over_approval_does_not_undo_a_restore(world: World) -> None:
    for color in ("red", "green"):
        world.approve(world.publish({"a": color}))
    feature = world.publish({"a": "blue"}, "feature", target="main")
    world.approve(feature)
    merged = world.upload({"a": "blue"})
    main = Baseline.objects.get(branch="main")
    world.act("restore_baseline", baselineId=main.id, version=1)
    finish_shard(world.repository, merged.id, 1, SYSTEM)
    assert world.process(merged).review_state == "unreviewed"
    assert world.states(merged) == {"a": "changed approved"}
    assert world.baseline() == {"a": "red"}


def test_a_carried_over_approval_undoes_no_restore_after_the_plan_of_its_build(
    world: World,
) -> None:
    for color in ("red", "green"):
        world.approve(world.publish({"a": color}))
    feature = world.publish({"a": "blue"}, "feature", target="main")
    world.approve(feature)
    main = Baseline.objects.get(branch="main")
    world.act("restore_baseline", baselineId=main.id, version=1)
    planned = world.publish({"a": "blue"}, baseline_id=main.id, baseline_version=2)
    assert world.states(planned) == {"a": "changed approved"}
    assert planned.review_state == "unreviewed"
    assert world.baseline() == {"a": "red"}


def test_a_recomparison_approves_nothing_and_skips_decided_builds(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red"})
    rejected = world.publish({"a": "blue"}, "x")
    world.act("reject_build", buildId=rejected.id)
    undecided = world.publish({"a": "blue"}, "y")
    versions = BaselineVersion.objects.count()
    for regions, state in ((WHOLE, "not_required"), ([], "unreviewed")):
        set_regions(world, "a", regions)
        assert world.fresh(undecided).review_state == state
    assert world.states(rejected) == {"a": "changed rejected"}
    assert BaselineVersion.objects.count() == versions


def test_a_matrix_that_shrinks_removes_nothing_and_one_that_grows_is_new(world: World) -> None:
    both = (*DESKTOP, Variant("dark", "desktop"))
    world.approve(world.publish({"a": "red"}))
    grown = world.publish({"a": "red"}, matrix=both)
    states = {row.theme: row.diff_state for row in Screenshot.objects.filter(build=grown)}
    assert states == {"light": "unchanged", "dark": "new"}
    world.approve(grown)
    shrunk = world.publish({"a": "blue"})
    assert world.states(shrunk) == {"a": "changed"}
    world.approve(shrunk)
    themes = {key.theme for key in current_entries(Baseline.objects.get())}
    assert themes == {"light", "dark"}


def test_a_detection_screenshot_is_never_reviewed(world: World) -> None:
    phone = Variant("light", "phone")
    build = world.upload({"a": "red"}, detection_variants=(phone,))
    announced = Screenshot.objects.get(build=build)
    taken = AnnouncedShot(
        story_id="a",
        title="a",
        theme="light",
        device="phone",
        sha256=announced.sha256,
        width=announced.width,
        height=announced.height,
    )
    add_screenshots(world.repository, build.id, 1, [taken])
    finish_shard(world.repository, build.id, 1, SYSTEM)
    world.process(build)
    shot = Screenshot.objects.get(build=build, device="phone")
    with pytest.raises(ConflictError, match="detect"):
        world.act("review_screenshot", screenshotId=shot.id, state="approved")
    world.act("approve_all_screenshots", buildId=build.id)
    shot.refresh_from_db()
    assert (shot.diff_state, shot.review_decision) == ("unchanged", "")
    assert {key.device for key in current_entries(Baseline.objects.get())} == {"desktop"}


WHOLE = [{"x": 0, "y": 0, "width": 1, "height": 1}]


def set_regions(world: World, story: str, regions: list[dict[str, int]]) -> None:
    """Set dynamic regions, and compare builds again as the job does."""
    place = {"storyId": story, "theme": "light", "device": "desktop"}
    world.act("set_dynamic_regions", repoId=world.repository.id, **place, regions=regions)
    for build in Build.objects.select_related("repository", "product"):
        complete_recomparison(build.id, remeasure_build(build))


def test_a_decision_on_an_unchanged_screenshot_changes_no_build(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "b": "blue"})
    build = world.publish({"a": "green", "b": "blue"})
    world.approve(build)
    world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="rejected")
    assert world.states(build)["b"] == "unchanged rejected"
    assert world.fresh(build).review_state == "approved"
