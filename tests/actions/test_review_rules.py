"""The rules of baselines and decisions, each by an example on a real database."""

import pytest

from tests.personas import Personas
from tests.worlds import World
from visual_review.kernel.errors import ConflictError


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def test_a_first_build_is_all_new_and_its_approval_makes_the_baseline(world: World) -> None:
    first = world.publish({"a": "red", "b": "blue"})
    assert world.states(first) == {"a": "new", "b": "new"}
    assert (first.review_state, first.baseline_rule) == ("unreviewed", "none")
    world.act("approve_build", buildId=first.id)
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


def test_approve_build_takes_in_what_was_rejected_before(world: World) -> None:
    build = world.publish({"a": "red"})
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="rejected")
    world.act("approve_build", buildId=build.id)
    assert world.states(build) == {"a": "new approved"}


def test_reject_build_moves_no_baseline_even_when_the_build_is_it(world: World) -> None:
    build = world.publish({"a": "red"})
    world.act("approve_build", buildId=build.id)
    result = world.act("reject_build", buildId=build.id)
    assert world.baseline() == {"a": "red"}
    assert result.review_state == "rejected"
    assert any("restore" in warning for warning in result.warnings)


def test_removed_stories_leave_the_baseline_with_the_approval(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    build = world.publish({"a": "green"})
    assert world.states(build) == {"a": "changed", "b": "removed"}
    result = world.act(
        "review_screenshot", screenshotId=world.shot(build, "a").id, state="approved"
    )
    assert (result.finalized, result.accepted_removals) == (True, 1)
    assert world.baseline() == {"a": "green"}


def test_removals_alone_need_their_approval(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    build = world.publish({"a": "red"})
    assert build.review_state == "unreviewed"
    world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="approved")
    assert world.fresh(build).review_state == "approved"
    assert world.baseline() == {"a": "red"}


def test_a_rejected_removal_keeps_its_entry(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    build = world.publish({"a": "green"})
    world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="rejected")
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert world.baseline() == {"a": "green", "b": "blue"}


def test_a_failure_needs_approve_build_and_keeps_the_branchs_entry(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    build = world.publish({"a": "green", "b": "error"})
    assert world.states(build) == {"a": "changed", "b": "failed"}
    with pytest.raises(ConflictError, match="failed"):
        world.act("review_screenshot", screenshotId=world.shot(build, "b").id, state="approved")
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert world.fresh(build).review_state == "unreviewed"
    world.act("approve_build", buildId=build.id)
    assert world.baseline() == {"a": "green", "b": "blue"}


def test_a_pull_request_is_compared_with_its_target_and_moves_its_own_branch(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    build = world.publish({"a": "blue"}, "feature", target="main")
    assert (build.baseline_rule, world.states(build)) == ("target_branch", {"a": "changed"})
    world.act("approve_build", buildId=build.id)
    assert world.baseline("main") == {"a": "red"}
    assert world.baseline("feature") == {"a": "blue"}


def test_a_second_push_asks_nobody_again(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    first = world.publish({"a": "blue"}, "feature", target="main")
    world.act("approve_build", buildId=first.id)
    second = world.publish({"a": "blue"}, "feature", target="main")
    assert (second.review_state, second.decision_source) == ("approved", "carried_over")
    merged = world.publish({"a": "blue"})
    assert (merged.review_state, merged.decision_source) == ("approved", "carried_over")
    assert world.baseline() == {"a": "blue"}


def test_going_back_to_a_former_picture_is_asked_again(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    world.act("approve_build", buildId=world.publish({"a": "blue"}).id)
    back = world.publish({"a": "red"})
    assert world.states(back) == {"a": "changed"}
    assert world.shot(back, "a").matches_former_baseline
    world.act("approve_build", buildId=back.id)
    forth = world.publish({"a": "blue"})
    assert forth.review_state == "unreviewed"


def test_a_later_rejection_of_the_pair_ends_the_carrying(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    first = world.publish({"a": "blue"}, "feature", target="main")
    world.act("approve_build", buildId=first.id)
    world.act("reject_build", buildId=first.id)
    assert world.publish({"a": "blue"}, "feature", target="main").review_state == "unreviewed"


def test_a_removal_is_carried_over_like_a_change(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    feature = world.publish({"a": "red"}, "feature", target="main")
    world.act("approve_build", buildId=feature.id)
    merged = world.publish({"a": "red"})
    assert merged.decision_source == "carried_over"
    assert world.baseline() == {"a": "red"}


def test_an_older_build_is_a_rollback_and_says_so(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    older = world.publish({"a": "blue"})
    newer = world.publish({"a": "green"})
    world.act("approve_build", buildId=newer.id)
    result = world.act("approve_build", buildId=older.id)
    assert any("older" in warning for warning in result.warnings)
    assert world.baseline() == {"a": "blue"}


def test_approving_twice_moves_once(world: World) -> None:
    build = world.publish({"a": "red"})
    first = world.act("approve_build", buildId=build.id)
    second = world.act("approve_build", buildId=build.id)
    assert (first.baseline_move, second.baseline_move) == (1, None)


def test_a_partial_build_inherits_and_cannot_revert_a_newer_decision(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    partial = world.publish({"a": "green"}, stories=["a", "b"])
    assert world.states(partial) == {"a": "changed", "b": "unchanged"}
    assert world.shot(partial, "b").inherited
    newer = world.publish({"a": "red", "b": "yellow"})
    world.act("approve_build", buildId=newer.id)
    world.act("approve_build", buildId=partial.id)
    assert world.baseline() == {"a": "green", "b": "yellow"}


def test_a_partial_build_removes_stories_that_no_longer_exist(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red", "b": "blue"}).id)
    partial = world.publish({}, stories=["a"])
    assert world.states(partial) == {"a": "unchanged", "b": "removed"}
    world.act("approve_build", buildId=partial.id)
    assert world.baseline() == {"a": "red"}


def test_a_forks_main_is_another_branch(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    fork = world.publish({"a": "blue"}, "main", fork="someone/web", target="main")
    assert world.states(fork) == {"a": "changed"}
    world.act("approve_build", buildId=fork.id)
    assert world.baseline() == {"a": "red"}
    assert world.baseline("main", "someone/web") == {"a": "blue"}


def test_a_restore_is_a_move_that_brings_the_older_set_back(world: World) -> None:
    world.act("approve_build", buildId=world.publish({"a": "red"}).id)
    second = world.publish({"a": "blue", "b": "green"})
    world.act("approve_build", buildId=second.id)
    baseline = second.product.baselines.get()
    result = world.act("restore_baseline", baselineId=baseline.id, move=1, reason="Oops")
    assert result.move == 3
    assert world.baseline() == {"a": "red"}


def test_a_build_that_is_not_completed_cannot_be_decided(world: World) -> None:
    build = world.upload({"a": "red"})
    for action in ("approve_build", "reject_build", "approve_all_screenshots"):
        with pytest.raises(ConflictError, match="uploading"):
            world.act(action, buildId=build.id)


def test_a_newer_build_supersedes_an_undecided_one(world: World) -> None:
    older = world.publish({"a": "red"})
    newer = world.publish({"a": "red"})
    assert world.fresh(older).superseded_by_id == newer.id
