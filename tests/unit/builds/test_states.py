"""Rules 4, 5, 7 and 8 of the design: the review states of builds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.states import (
    BuildApprovedError,
    ReviewCounts,
    counts_after,
    creates_version,
    finalizes,
    is_rollback,
    require_decidable,
    require_not_approved,
    require_reviewable,
    require_undecided_after_undo,
    review_after_clearing,
    review_after_comparison,
    review_after_decision,
    review_after_recomparison,
)
from visual_review.kernel.errors import ConflictError

STATES = ("changed", "new", "removed", "failed", "unchanged", "pending")
DECISIONS = ("", "approved", "rejected")

shots = st.lists(st.tuples(st.sampled_from(STATES), st.sampled_from(DECISIONS)), max_size=8)
compared = shots.filter(lambda rows: all(state != "pending" for state, _ in rows))
reviews = st.sampled_from(["unreviewed", "approved", "rejected", "not_required"])
decisions = st.sampled_from(["approved", "rejected"])
Rows = list[tuple[str, str]]


def decisions_in(rows: Rows, state: str) -> list[str]:
    return [decision for each, decision in rows if each == state]


def count(rows: Rows) -> ReviewCounts:
    """Count (diff state, decision) pairs; the decision is empty where there is none."""
    blocking = decisions_in(rows, "changed") + decisions_in(rows, "new")
    return ReviewCounts(
        **{state: len(decisions_in(rows, state)) for state in STATES},
        open=len(blocking) - blocking.count("approved"),
        removed_approved=decisions_in(rows, "removed").count("approved"),
        rejected=(blocking + decisions_in(rows, "removed")).count("rejected"),
    )


FINALIZED = [
    ([("changed", "approved")], True),
    ([("new", "approved"), ("changed", "")], False),
    ([("new", "approved"), ("changed", "rejected")], False),
    ([("changed", "approved"), ("removed", "")], True),
    ([("changed", "approved"), ("removed", "rejected")], True),
    ([("changed", "approved"), ("failed", "")], False),
    ([("removed", "approved")], True),
    ([("removed", "approved"), ("removed", "")], False),
    ([("removed", "rejected")], False),
    ([("unchanged", "approved")], False),
    ([], False),
]


def test_single_decisions_finalize_a_build(case: Case) -> None:
    for rows, finalized in FINALIZED:
        with case(rows):
            assert finalizes(count(rows)) is finalized


@given(shots)
def test_a_build_is_finalized_once_everything_is_decided(rows: Rows) -> None:
    blocking = decisions_in(rows, "changed") + decisions_in(rows, "new")
    removed = decisions_in(rows, "removed")
    blocked = bool(decisions_in(rows, "failed") + decisions_in(rows, "pending"))
    all_approved = set(blocking) == {"approved"} or (not blocking and set(removed) == {"approved"})
    assert finalizes(count(rows)) is (all_approved and not blocked)


@given(compared)
def test_only_a_build_without_differences_and_failures_needs_no_review(rows: Rows) -> None:
    counts = count(rows)
    nothing = not counts.differences and not counts.failed
    assert (review_after_comparison(counts) == "not_required") is nothing


@given(compared)
def test_a_build_starts_approved_when_every_difference_was_carried_over(rows: Rows) -> None:
    differences = (
        decisions_in(rows, "changed") + decisions_in(rows, "new") + decisions_in(rows, "removed")
    )
    covered = set(differences) == {"approved"} and not decisions_in(rows, "failed")
    assert (review_after_comparison(count(rows)) == "approved") is covered


def test_an_uncovered_removal_keeps_a_carried_build_open() -> None:
    counts = count([("changed", "approved"), ("removed", "")])
    assert finalizes(counts)
    assert review_after_comparison(counts) == "unreviewed"


def test_a_build_that_is_not_compared_yet_is_unreviewed() -> None:
    assert review_after_comparison(ReviewCounts(pending=1)) == "unreviewed"


@given(reviews, shots)
def test_a_rejection_never_approves_a_build(current: str, rows: Rows) -> None:
    assert review_after_decision(current, "rejected", count(rows)) != "approved"


@given(shots)
def test_a_rejected_build_stays_so_until_all_is_approved(rows: Rows) -> None:
    counts = count(rows)
    after = review_after_decision("rejected", "approved", counts)
    assert after == ("approved" if finalizes(counts) else "rejected")


@given(decisions)
def test_a_decision_on_an_unchanged_screenshot_requires_no_review(decision: str) -> None:
    counts = count([("unchanged", decision)])
    after = review_after_decision("not_required", decision, counts)  # type: ignore[arg-type]
    assert after == "not_required"


def test_rejecting_a_screenshot_of_an_approved_build_opens_it_again() -> None:
    counts = count([("changed", "rejected"), ("new", "approved")])
    assert review_after_decision("approved", "rejected", counts) == "unreviewed"


@given(st.sampled_from(["unreviewed", "not_required"]), shots)
def test_a_recomparison_approves_nothing(current: str, rows: Rows) -> None:
    counts = count(rows)
    nothing = not counts.differences and not counts.failed and not counts.pending
    expected = "not_required" if nothing else "unreviewed"
    assert review_after_recomparison(current, counts) == expected


@pytest.mark.parametrize("current", ["approved", "rejected"])
def test_a_decided_build_is_not_compared_again(current: str) -> None:
    with pytest.raises(ConflictError, match="decided"):
        review_after_recomparison(current, ReviewCounts())


@pytest.mark.parametrize("status", ["uploading", "processing", "failed", "expired"])
def test_only_a_completed_build_can_be_decided(status: str) -> None:
    with pytest.raises(ConflictError, match=rf"'{status}'.*(Wait|[Pp]ublish again)"):
        require_decidable(status)
    require_decidable("completed")


def test_failed_and_pending_screenshots_cannot_be_decided(case: Case) -> None:
    for diff_state in STATES:
        with case(diff_state):
            if diff_state in {"failed", "pending"}:
                with pytest.raises(ConflictError):
                    require_reviewable(diff_state)
            else:
                require_reviewable(diff_state)


@given(st.integers(1, 9), st.one_of(st.none(), st.integers(1, 9)))
def test_only_an_older_build_rolls_back(number: int, newest: int | None) -> None:
    assert is_rollback(number, newest) is (newest is not None and number < newest)


changes = st.lists(
    st.tuples(st.sampled_from(STATES), st.sampled_from(DECISIONS), st.sampled_from(DECISIONS)),
    max_size=8,
)


@given(changes)
def test_counts_are_kept_without_counting_again(rows: list[tuple[str, str, str]]) -> None:
    before = count([(state, decision) for state, decision, _ in rows])
    assert counts_after(before, rows) == count([(state, after) for state, _, after in rows])


@given(reviews, shots)
def test_only_an_approval_that_finalizes_creates_a_version(current: str, rows: Rows) -> None:
    counts = count(rows)
    for accepts_removal in (False, True):
        if creates_version(current, counts, accepts_removal=accepts_removal):
            assert finalizes(counts) or current == "approved"
            assert current != "approved" or accepts_removal


@given(reviews, shots)
def test_clearing_never_decides_a_build(current: str, rows: Rows) -> None:
    counts = count(rows)
    if current == "approved":
        with pytest.raises(BuildApprovedError, match="restore"):
            review_after_clearing(current, counts)
        return
    after = review_after_clearing(current, counts)
    assert after in {current, "unreviewed"}
    assert (after == "rejected") is (current == "rejected" and counts.rejected > 0)


def test_only_the_decisions_of_an_approved_build_are_final(case: Case) -> None:
    for state in ("unreviewed", "rejected", "not_required"):
        with case(state):
            require_not_approved(state)
    with pytest.raises(BuildApprovedError):
        require_not_approved("approved")


@given(reviews, shots)
def test_an_undo_that_would_approve_is_refused(state: str, rows: Rows) -> None:
    counts = count(rows)
    if state == "approved" or finalizes(counts):
        with pytest.raises(ConflictError, match="only an approval"):
            require_undecided_after_undo(state, counts)
    else:
        require_undecided_after_undo(state, counts)
