"""What is left to decide, as text."""

from tests.support.case import Case
from visual_review.api.mcp.rendering.review_progress import (
    DecisionCounts,
    ReviewProgress,
    describe_progress,
)

OPEN = {("changed", ""): 2, ("new", "approved"): 2, ("changed", "rejected"): 1}


def describe(counts: DecisionCounts, status: str = "completed", review: str = "unreviewed") -> str:
    return " ".join(describe_progress(status, review, ReviewProgress.of(counts)))


def test_undecided_screenshots_are_counted_out_of_all_changed_and_new_ones() -> None:
    assert describe({("changed", ""): 2, ("new", "approved"): 3}) == (
        "2 of 5 changed or new screenshots are still undecided."
    )


def test_rejected_screenshots_are_counted_next_to_undecided_ones() -> None:
    assert describe(OPEN) == "2 of 5 changed or new screenshots are still undecided, 1 rejected."


def test_rejected_screenshots_alone_say_what_they_prevent() -> None:
    assert "1 of 3 changed or new screenshots is rejected, which keeps the build from being" in (
        describe({("changed", "rejected"): 1, ("new", "approved"): 2})
    )


def test_failures_name_the_tool_that_accepts_them() -> None:
    text = describe({("changed", "approved"): 1, ("failed", ""): 2})
    assert text.startswith("All 1 changed or new screenshots are approved. 2 failed")
    assert "only approve_build can finalize" in text


def test_removals_are_accepted_with_the_last_approval() -> None:
    assert describe({("new", ""): 1, ("removed", ""): 3}).endswith(
        "Undecided removals (3) are accepted with the last changed or new one."
    )


def test_removals_alone_must_be_approved() -> None:
    assert describe({("removed", ""): 1, ("removed", "approved"): 2}) == (
        "1 of 3 removed screenshots is still undecided; approving all of them approves the build."
    )


UNDECIDABLE = [
    ("processing", "unreviewed", "Call get_build again"),
    ("uploading", "unreviewed", "Call get_build again"),
    ("failed", "unreviewed", "Publish it again"),
    ("expired", "unreviewed", "Publish it again"),
    ("completed", "not_required", "nothing to decide"),
    ("completed", "approved", "nothing is left to decide"),
]


def test_a_build_that_cannot_be_decided_says_why(case: Case) -> None:
    for status, review, expected in UNDECIDABLE:
        with case(f"{status}, {review}"):
            assert expected in describe(OPEN, status, review)
