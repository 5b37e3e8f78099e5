"""Which decisions of the review log stand after some were undone."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.review_history import (
    LogEntry,
    effective_entries,
    is_any_rejected,
    withdrawn_rejections,
)
from visual_review.builds.variants import VariantKey

DECISIONS = ("approved", "rejected", "cleared", "undone")
logs = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from(DECISIONS)),
    max_size=20,
)


def entries(rows: Sequence[tuple[str, str, str]]) -> list[LogEntry]:
    return [
        LogEntry(number, build, VariantKey(story, "light", "desktop"), decision)
        for number, (build, story, decision) in enumerate(rows, 1)
    ]


def of_one(*decisions: str) -> list[LogEntry]:
    return entries([("a", "x", decision) for decision in decisions])


@given(logs)
def test_an_undo_takes_back_the_newest_standing_decision(
    rows: Sequence[tuple[str, str, str]],
) -> None:
    stacks: dict[tuple[str, str], list[int]] = {}
    for number, (build, story, decision) in enumerate(rows, 1):
        stack = stacks.setdefault((build, story), [])
        if decision != "undone":
            stack.append(number)
        elif stack:
            stack.pop()
    standing = sorted(number for stack in stacks.values() for number in stack)
    assert [entry.id for entry in effective_entries(entries(rows))] == standing


def test_rejections_are_withdrawn_by_undoing_and_clearing(case: Case) -> None:
    for decisions, withdrawn in (
        (["rejected"], set()),
        (["rejected", "undone"], {1}),
        (["rejected", "cleared"], {1}),
        (["rejected", "cleared", "undone"], set()),
        (["rejected", "approved"], set()),
        (["rejected", "approved", "cleared"], set()),
        (["rejected", "approved", "undone", "cleared"], {1}),
        (["rejected", "rejected", "undone"], {2}),
        (["rejected", "rejected", "cleared"], {2}),
        (["rejected", "undone", "rejected"], {1}),
        (["cleared", "undone", "undone"], set()),
    ):
        with case(decisions):
            assert withdrawn_rejections(of_one(*decisions)) == withdrawn


def test_rejections_that_say_the_same_stand_with_the_last_of_them(case: Case) -> None:
    # The decisions, the rejections that say the same, and whether they stand.
    for decisions, alike, stands in (
        (["rejected"], [1], True),
        (["rejected", "undone"], [1], False),
        (["rejected", "cleared"], [1], False),
        (["rejected", "approved"], [1], True),
        (["rejected", "cleared", "rejected"], [1, 3], True),
        (["rejected", "undone", "rejected"], [1, 3], True),
        (["rejected", "undone", "rejected"], [1], False),
        (["rejected", "approved", "rejected", "undone"], [1, 3], True),
        (["rejected", "approved", "rejected", "cleared"], [1, 3], False),
        (["rejected", "rejected", "rejected", "cleared"], [1, 3], False),
        (["rejected", "rejected", "rejected", "cleared"], [2], True),
    ):
        with case((decisions, alike)):
            assert is_any_rejected(of_one(*decisions), [alike]) == stands


def test_one_of_several_screenshots_is_enough_to_stand() -> None:
    log = entries([("a", "x", "rejected"), ("a", "y", "rejected"), ("a", "x", "cleared")])
    assert is_any_rejected(log, [[1], [2]])
    assert not is_any_rejected(log, [[1]])
    assert not is_any_rejected(log, [])
