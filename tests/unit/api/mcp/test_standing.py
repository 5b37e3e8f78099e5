"""What is left to decide, in words."""

from tests.support.case import Case
from visual_review.api.mcp.rendering.review_progress import Marks, Standing, progress

OPEN = {("changed", ""): 2, ("new", "approved"): 2, ("changed", "rejected"): 1}


def told(marks: Marks, status: str = "completed", review: str = "unreviewed") -> str:
    return " ".join(progress(status, review, Standing.of(marks)))


def test_undecided_ones_are_counted_against_all_changed_and_new_ones() -> None:
    assert told({("changed", ""): 2, ("new", "approved"): 3}) == (
        "2 of 5 changed or new screenshots are still undecided."
    )


def test_rejected_ones_are_named_beside_the_undecided() -> None:
    assert told(OPEN) == "2 of 5 changed or new screenshots are still undecided, 1 rejected."


def test_rejected_ones_alone_say_what_they_hold_up() -> None:
    assert "1 of 3 changed or new screenshots is rejected, which keeps the build from being" in (
        told({("changed", "rejected"): 1, ("new", "approved"): 2})
    )


def test_failures_say_who_accepts_them() -> None:
    text = told({("changed", "approved"): 1, ("failed", ""): 2})
    assert text.startswith("All 1 changed or new screenshots are approved. 2 failed")
    assert "approve_build accepts them" in text


def test_removals_go_with_the_last_approval() -> None:
    assert told({("new", ""): 1, ("removed", ""): 3}).endswith(
        "Undecided removals (3) are accepted with the last changed or new one."
    )


def test_removals_alone_have_to_be_approved() -> None:
    assert told({("removed", ""): 1, ("removed", "approved"): 2}) == (
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


def test_a_build_that_takes_no_decision_says_why(case: Case) -> None:
    for status, review, words in UNDECIDABLE:
        with case(f"{status}, {review}"):
            assert words in told(OPEN, status, review)
