"""Once a pull request is merged, its approved pictures ask nobody again in the target."""

import pytest

from tests.actions.following.steps import NAME, Followed
from visual_review.builds.carrying_to_target import carry_over_again
from visual_review.builds.models import Build

APPROVED = {"a": "blue", "same": "white", "extra": "yellow"}
MERGE = "2" * 40


def merged_build(
    followed: Followed, shots: dict[str, str] | None = None, commit: str = MERGE
) -> Build:
    """What CI publishes of the target after the merge."""
    return followed.world.publish(shots or APPROVED, "main", commit=commit)


def merge(followed: Followed, commit: str = MERGE) -> None:
    followed.host.merge_pull_request(NAME, 1, commit)
    followed.deliver()


# The pull request's head, a commit of the host's own for a merge or a squash, the last of a rebase.
@pytest.mark.parametrize("commit", ["1" * 40, MERGE, "3" * 40])
@pytest.mark.parametrize("webhooks", [True, False])
def test_whatever_way_it_was_merged_nobody_is_asked_again(
    followed: Followed, commit: str, *, webhooks: bool
) -> None:
    followed.approve(followed.publish(APPROVED))
    if webhooks:
        merge(followed, commit)
    row = merged_build(followed, commit=commit)
    assert (row.review_state, row.decision_source) == ("approved", "carried_over")
    assert followed.world.baseline("main") == APPROVED


def test_a_target_that_was_built_before_the_approval_is_looked_at_again(
    followed: Followed,
) -> None:
    build = followed.publish(APPROVED)
    merge(followed)
    target = merged_build(followed)
    assert target.review_state == "unreviewed"
    followed.approve(build)
    followed.run()
    row = followed.world.fresh(target)
    assert (row.review_state, row.decision_source) == ("approved", "carried_over")
    assert followed.world.states(target)["a"] == "changed approved"
    assert followed.world.baseline("main") == APPROVED


def test_a_target_that_was_built_before_the_news_of_the_merge_is_looked_at_again(
    followed: Followed,
) -> None:
    build = followed.publish(APPROVED)
    target = merged_build(followed)
    followed.approve(build)
    followed.run()
    # Nobody knows yet that one led to the other.
    assert followed.world.fresh(target).review_state == "unreviewed"
    merge(followed)
    assert followed.world.fresh(target).decision_source == "carried_over"


def test_a_part_that_was_approved_asks_only_for_the_rest(followed: Followed) -> None:
    build = followed.publish(APPROVED)
    target = merged_build(followed)
    shot = followed.world.shot(build, "a")
    followed.world.act("review_screenshot", screenshotId=shot.id, state="approved")
    merge(followed)
    assert followed.world.fresh(target).review_state == "unreviewed"
    states = followed.world.states(target)
    assert (states["a"], states["extra"]) == ("changed approved", "new")


def test_what_differs_after_the_merge_is_asked_for(followed: Followed) -> None:
    build = followed.publish(APPROVED)
    followed.approve(build)
    target = merged_build(followed, {**APPROVED, "a": "black"})
    merge(followed)
    assert followed.world.fresh(target).review_state == "unreviewed"
    assert followed.world.states(target)["a"] == "changed"


def test_a_rejection_in_the_target_stays(followed: Followed) -> None:
    build = followed.publish(APPROVED)
    target = merged_build(followed)
    followed.world.act("reject_build", buildId=target.id)
    merge(followed)
    followed.approve(build)
    followed.run()
    row = followed.world.fresh(target)
    assert (row.review_state, row.decided_by_name) == ("rejected", "Bob")


def test_what_was_decided_in_the_target_since_is_not_gone_behind(followed: Followed) -> None:
    build = followed.publish(APPROVED)
    target = merged_build(followed)
    newer = merged_build(followed, {"a": "black", "same": "white"}, "4" * 40)
    followed.approve(newer)
    followed.approve(build)
    merge(followed)
    assert followed.world.fresh(target).review_state == "unreviewed"
    assert followed.world.baseline("main") == {"a": "black", "same": "white"}


def test_a_pull_request_closed_without_a_merge_carries_nothing(followed: Followed) -> None:
    build = followed.publish(APPROVED)
    target = merged_build(followed)
    followed.host.close_pull_request(NAME, 1)
    followed.deliver()
    followed.approve(build)
    followed.run()
    assert followed.world.fresh(target).review_state == "unreviewed"


def test_carrying_over_again_twice_changes_nothing_more(followed: Followed) -> None:
    build = followed.publish(APPROVED)
    target = merged_build(followed)
    followed.approve(build)
    assert carry_over_again(target.id)
    before = target.review_log.count()
    assert not carry_over_again(target.id)
    assert target.review_log.count() == before
