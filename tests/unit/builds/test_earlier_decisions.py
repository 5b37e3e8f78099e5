"""Earlier decisions of the review log: whose they are, what was undone, the newest comment."""

from datetime import UTC, datetime

from tests.support.case import Case
from visual_review.builds.earlier_decisions import (
    LoggedDecisionRow,
    decisions_before,
    own_decisions,
)
from visual_review.builds.variants import VariantKey

AT = datetime(2026, 1, 2, tzinfo=UTC)
KEY = VariantKey("a", "light", "phone")
Logged = tuple[str, str, str]


def rows(*logged: Logged) -> list[LoggedDecisionRow]:
    """Return entries on one screenshot, of decisions with source and comment."""
    return [
        LoggedDecisionRow(number, "build_1", *KEY, decision, source, "Alice", "", AT, comment)
        for number, (decision, source, comment) in enumerate(logged)
    ]


def summary(*logged: Logged) -> list[str]:
    """Return the decisions that count, with their comments."""
    found = own_decisions(rows(*logged)).get(KEY, [])
    return [f"{row.decision} {row.comment}".strip() for row in found]


REJECTED = ("rejected", "user", "Too red")
APPROVED = ("approved", "mcp", "")
UNDONE = ("undone", "user", "")


def test_which_decisions_count(case: Case) -> None:
    cases: dict[str, tuple[list[Logged], list[str]]] = {
        "none": ([], []),
        "approved after a rejection": ([REJECTED, APPROVED], ["rejected Too red", "approved"]),
        "cleared": ([REJECTED, ("cleared", "user", "")], ["rejected Too red"]),
        "undone": ([REJECTED, UNDONE], []),
        "the newer one undone": ([REJECTED, APPROVED, UNDONE], ["rejected Too red"]),
        "carried over": ([("approved", "carried_over", "")], []),
        "kept for another base branch": (
            [REJECTED, ("rejected", "retargeted", "Too red")],
            ["rejected Too red"],
        ),
    }
    for name, (logged, expected) in cases.items():
        with case(name):
            assert summary(*logged) == expected


def test_the_current_decision_is_no_earlier_one(case: Case) -> None:
    logged = rows(REJECTED, ("approved", "user", "Fine"))
    for decision, source, count, comment in (
        ("approved", "user", 1, "Too red"),
        ("", "", 2, "Fine"),
        ("approved", "carried_over", 2, "Fine"),
    ):
        with case(f"{decision} {source}"):
            found = decisions_before(logged, decision, source)
            assert (found.number, found.commented and found.commented.comment) == (count, comment)
    assert decisions_before(rows(REJECTED), "rejected", "user") == (0, None)
