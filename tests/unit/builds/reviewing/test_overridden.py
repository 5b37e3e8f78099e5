"""The rejections that an approval replaces, in words."""

from collections import Counter

from tests.support.case import Case
from visual_review.builds.reviewing.build_facts import BuildFacts, RejectionCount, ShotGroup
from visual_review.builds.reviewing.overridden import describe_overridden


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


def test_only_rejections_that_are_decided_otherwise_count() -> None:
    facts = BuildFacts(
        Counter(
            {
                ShotGroup("changed", "rejected", is_decided=True, rejected_by="Bob"): 1,
                ShotGroup("new", "rejected", is_decided=True, rejected_by="Carol"): 2,
                ShotGroup("changed", "rejected", is_decided=False, rejected_by="Bob"): 4,
                ShotGroup("unchanged", "rejected", is_decided=False, rejected_by="Dan"): 8,
                ShotGroup("changed", "approved", is_decided=True): 16,
            }
        )
    )
    assert facts.rejections(decided=True) == (
        RejectionCount("Carol", 2),
        RejectionCount("Bob", 1),
    )
    assert facts.rejections(("changed", "new")) == (
        RejectionCount("Bob", 5),
        RejectionCount("Carol", 2),
    )
