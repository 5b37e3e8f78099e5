"""Earlier decisions of the review log: whose they are, what was undone, the newest comment."""

from datetime import UTC, datetime

from tests.support.case import Case
from visual_review.builds.earlier_decisions import (
    LoggedDecisionRow,
    ScreenshotHistory,
    summarize,
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


def summary(*logged: Logged) -> tuple[int, str | None]:
    """Return the number of decisions, and the newest comment."""
    found = summarize(rows(*logged)).get(KEY, ScreenshotHistory(0, None))
    return found.decisions, found.last_comment.comment if found.last_comment else None


REJECTED = ("rejected", "user", "Too red")
APPROVED = ("approved", "mcp", "")
UNDONE = ("undone", "user", "")


def test_what_counts_and_which_comment_is_the_newest(case: Case) -> None:
    cases: dict[str, tuple[list[Logged], tuple[int, str | None]]] = {
        "none": ([], (0, None)),
        "approved after a rejection": ([REJECTED, APPROVED], (2, "Too red")),
        "a newer comment": ([REJECTED, ("approved", "api_key", "Fine")], (2, "Fine")),
        "cleared": ([REJECTED, ("cleared", "user", "")], (1, "Too red")),
        "undone": ([REJECTED, UNDONE], (0, None)),
        "the newer one undone": ([REJECTED, APPROVED, UNDONE], (1, "Too red")),
        "carried over": ([("approved", "carried_over", "")], (0, None)),
        "kept for another base branch": (
            [REJECTED, ("rejected", "retargeted", "Too red")],
            (1, "Too red"),
        ),
    }
    for name, (logged, expected) in cases.items():
        with case(name):
            assert summary(*logged) == expected


def test_the_current_decision_is_no_earlier_one(case: Case) -> None:
    history = ScreenshotHistory(2, None)
    for decision, source, count in (
        ("approved", "user", 1),
        ("rejected", "mcp", 1),
        ("", "", 2),
        ("approved", "carried_over", 2),
    ):
        with case(f"{decision} {source}"):
            assert history.count_earlier(decision, source) == count
