"""The rejections that an approval replaces, in words."""

from collections import Counter

from tests.support.case import Case
from visual_review.builds.reviewing.plan import RejectionCount, describe_overridden, rank_rejections


def test_it_says_how_many_and_whose(case: Case) -> None:
    for rejections, text in (
        ([], ""),
        ([("Bob", 1)], "1 rejection by Bob is overridden."),
        ([("Bob", 1200)], "1,200 rejections by Bob are overridden."),
        ([("Bob", 1), ("Carol", 1)], "2 rejections by Bob and Carol are overridden."),
        ([("A", 2), ("B", 1), ("C", 1)], "4 rejections by A, B and C are overridden."),
        (
            [("A", 1), ("B", 1), ("C", 1), ("D", 1)],
            "4 rejections by A, B, C and 1 other are overridden.",
        ),
        (
            [(f"N{number}", 1) for number in range(500)],
            "500 rejections by N0, N1, N2 and 497 others are overridden.",
        ),
        ([("", 1)], "1 rejection by Visual Review is overridden."),
    ):
        with case(text):
            assert describe_overridden([RejectionCount(*each) for each in rejections]) == text


def test_names_can_be_quoted() -> None:
    assert describe_overridden([RejectionCount("Bob", 1)], repr) == (
        "1 rejection by 'Bob' is overridden."
    )


def test_who_rejected_most_is_named_first() -> None:
    counted = Counter({"Bob": 1, "Carol": 2, "Alice": 1, "Dan": 0})
    found = [(each.by, each.count) for each in rank_rejections(counted)]
    assert found == [("Carol", 2), ("Alice", 1), ("Bob", 1)]
