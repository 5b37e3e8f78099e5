"""Rule 3 of the design on baselines: what a build is compared with."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.baselines.selection import (
    BaselineChoice,
    BranchKey,
    Origin,
    candidates,
    choose,
)

MAIN = BranchKey("main")
FEATURE = BranchKey("feature/x")
RELEASE = BranchKey("release")
FORKS_MAIN = BranchKey("main", "someone/fork")

branches = st.sampled_from(["main", "feature/x", "release"])
heads = st.sampled_from(["", "someone/fork"])
keys = st.builds(BranchKey, branches, heads)
origins = st.builds(
    Origin,
    own=keys,
    default_branch=branches,
    is_pull_request=st.booleans(),
    target_branch=st.one_of(st.just(""), branches),
)


def push(own: BranchKey) -> Origin:
    return Origin(own, "main")


def pull_request(own: BranchKey, target: str) -> Origin:
    return Origin(own, "main", is_pull_request=True, target_branch=target)


CHOICES = [
    (push(FEATURE), {FEATURE, MAIN}, BaselineChoice("own_branch", FEATURE)),
    (push(FEATURE), {MAIN}, BaselineChoice("default_branch", MAIN)),
    (push(FEATURE), {RELEASE}, BaselineChoice("none", None)),
    (push(MAIN), {MAIN}, BaselineChoice("own_branch", MAIN)),
    (
        pull_request(FEATURE, "release"),
        {RELEASE, MAIN},
        BaselineChoice("target_branch", RELEASE),
    ),
    (pull_request(FEATURE, "release"), {MAIN}, BaselineChoice("default_branch", MAIN)),
    (pull_request(FEATURE, "release"), {FEATURE}, BaselineChoice("none", None)),
    (pull_request(FEATURE, ""), {FEATURE, MAIN}, BaselineChoice("default_branch", MAIN)),
    (push(FORKS_MAIN), {MAIN}, BaselineChoice("default_branch", MAIN)),
    (push(FORKS_MAIN), {MAIN, FORKS_MAIN}, BaselineChoice("own_branch", FORKS_MAIN)),
    (pull_request(FORKS_MAIN, "main"), {FORKS_MAIN}, BaselineChoice("none", None)),
]


def test_the_first_branch_with_a_baseline_wins(case: Case) -> None:
    for origin, existing, expected in CHOICES:
        with case(f"{origin}, {existing}"):
            assert choose(origin, existing) == expected


@given(origins, st.sets(keys))
def test_the_choice_exists_and_no_better_candidate_does(
    origin: Origin, existing: set[BranchKey]
) -> None:
    choice = choose(origin, existing)
    if choice.key is None:
        assert not existing & {candidate.key for candidate in candidates(origin)}
        return
    better = candidates(origin)[: candidates(origin).index(choice)]
    assert choice.key in existing
    assert not existing & {candidate.key for candidate in better}


@given(origins, st.sets(keys))
def test_a_pull_request_is_never_compared_with_a_forks_branch(
    origin: Origin, existing: set[BranchKey]
) -> None:
    choice = choose(origin, existing)
    if origin.is_pull_request and choice.key is not None:
        assert choice.key.head_repository == ""


@given(origins, st.sets(keys), keys)
def test_a_baseline_of_an_unrelated_branch_changes_nothing(
    origin: Origin, existing: set[BranchKey], other: BranchKey
) -> None:
    if other not in {candidate.key for candidate in candidates(origin)}:
        assert choose(origin, existing | {other}) == choose(origin, existing)
