"""Decisions that count for a build if approvals stay in their pull request."""

from typing import NamedTuple

import pytest

from tests.support.case import Case
from visual_review.builds.reviewing.carry_over_rules import (
    ApprovalScope,
    Merge,
    ReviewPlace,
    newest_that_counts,
)
from visual_review.builds.source import BranchKey

MAIN = BranchKey("main")
ON_MAIN = ReviewPlace(MAIN, None)
FIRST = ReviewPlace(BranchKey("first"), 1)
SECOND = ReviewPlace(BranchKey("second"), 2)
FORKED = ReviewPlace(BranchKey("first", "bob/web"), 3)


class LogEntry(NamedTuple):
    decision: str
    place: ReviewPlace


@pytest.mark.parametrize("merge", Merge)
def test_decisions_count_in_their_own_pull_request_or_branch(merge: Merge, case: Case) -> None:
    for place, decided in (
        (FIRST, FIRST),
        (FIRST, ReviewPlace(BranchKey("renamed"), 1)),
        (FIRST, ReviewPlace(BranchKey("first"), None)),
        (ReviewPlace(BranchKey("first"), None), FIRST),
        (FIRST, ON_MAIN),
        (ON_MAIN, ON_MAIN),
    ):
        with case((place, decided)):
            assert ApprovalScope(place, MAIN).counts(decided, merge)


def test_elsewhere_they_count_once_they_are_merged(case: Case) -> None:
    for place, decided in (
        (FIRST, SECOND),
        (FIRST, FORKED),
        (FIRST, ReviewPlace(BranchKey("first"), 9)),
        (ReviewPlace(BranchKey("first"), None), FORKED),
        (ReviewPlace(BranchKey("second"), None), FIRST),
    ):
        with case((place, decided)):
            scope = ApprovalScope(place, MAIN)
            assert scope.counts(decided, Merge.MERGED)
            assert not scope.counts(decided, Merge.NOT_MERGED)
            assert not scope.counts(decided, Merge.UNKNOWN)


def test_what_the_base_branch_shows_was_merged_unless_it_is_known_not_to_be() -> None:
    scope = ApprovalScope(ON_MAIN, MAIN)
    assert scope.counts(FIRST, Merge.UNKNOWN)
    assert not scope.counts(FIRST, Merge.NOT_MERGED)


def test_a_merge_queue_needs_no_review_of_what_it_tests() -> None:
    queue = ReviewPlace(BranchKey("gh-readonly-queue/main/pr-2-4f9c1d7b"), None)
    assert ApprovalScope(queue, MAIN).counts(FIRST, Merge.NOT_MERGED)
    assert not ApprovalScope(queue._replace(pull_request=7), MAIN).counts(FIRST, Merge.NOT_MERGED)


def test_the_newest_decision_that_counts_applies_until_it_is_rejected_elsewhere(case: Case) -> None:
    mine, theirs, others = LogEntry("approved", FIRST), SECOND, FORKED
    again = LogEntry("approved", FIRST)
    rejected, approved = LogEntry("rejected", theirs), LogEntry("approved", theirs)
    for name, log, expected in (
        ("none", [], None),
        ("only elsewhere", [approved], None),
        ("a rejection elsewhere alone", [rejected], None),
        ("own", [mine], mine),
        ("own, then approved elsewhere", [mine, approved], mine),
        ("own, then rejected elsewhere", [mine, rejected], rejected),
        ("rejected elsewhere, then approved there", [mine, rejected, approved], mine),
        ("approved by a third", [mine, rejected, LogEntry("approved", others)], rejected),
        ("own after it was rejected elsewhere", [rejected, again], again),
        ("own rejection", [mine, LogEntry("rejected", FIRST)], LogEntry("rejected", FIRST)),
        ("own, cleared", [mine, LogEntry("cleared", FIRST)], LogEntry("cleared", FIRST)),
    ):
        with case(name):
            found = newest_that_counts(log, lambda place: place == FIRST)
            assert found == expected


def test_approvals_of_a_closed_pull_request_stay_in_it() -> None:
    own, other = ReviewPlace(BranchKey("one"), 1), ReviewPlace(BranchKey("two"), 2)
    scope = ApprovalScope(own, BranchKey("main"), across=True)
    assert scope.counts(other, Merge.NOT_MERGED)
    assert not scope.counts(other, Merge.CLOSED)
    assert scope.counts(own, Merge.CLOSED)


def test_a_build_of_a_fork_takes_over_approvals_of_its_own_pull_request_only(case: Case) -> None:
    fork = ReviewPlace(BranchKey("feature", "someone/web"), 3)
    scope = ApprovalScope(fork, BranchKey("main"), across=True)
    for merge in Merge:
        with case(merge):
            assert scope.counts(fork, merge)
            assert not scope.counts(ReviewPlace(BranchKey("feature"), 4), merge)
            assert not scope.counts(ReviewPlace(BranchKey("main"), None), merge)
