"""A build's counts, before and after a decision on some of its screenshots."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.reviewing.build_facts import BuildFacts, ShotGroup
from visual_review.builds.states import (
    DIFF_STATES,
    DIFFERENCES,
    counts_after,
    pairs_after,
    review_counts,
)

groups = st.builds(
    ShotGroup,
    st.sampled_from(DIFF_STATES),
    st.sampled_from(("", "approved", "rejected")),
    st.booleans(),
)
shots = st.lists(groups, max_size=12)
decisions = st.sampled_from(("", "approved", "rejected"))


@given(shots, decisions)
def test_counts_after_a_decision_are_those_of_counting_again(
    found: list[ShotGroup], decision: str
) -> None:
    facts = BuildFacts(Counter(found))
    after = Counter(
        (shot.diff_state, decision if shot.is_decided else shot.decision) for shot in found
    )
    assert facts.counts_after(decision) == review_counts(after)
    changes = [(shot.diff_state, shot.decision, decision) for shot in found if shot.is_decided]
    assert facts.counts_after(decision) == counts_after(facts.counts, changes)
    before = Counter((shot.diff_state, shot.decision) for shot in found)
    assert +pairs_after(before, changes) == after


@given(shots)
def test_differences_are_undecided_without_a_decision(found: list[ShotGroup]) -> None:
    undecided = [shot for shot in found if shot.diff_state in DIFFERENCES and shot.decision == ""]
    assert BuildFacts(Counter(found)).undecided_differences == len(undecided)
