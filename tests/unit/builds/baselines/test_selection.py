"""Rule 3 of the design on baselines: the baseline of a build's comparison."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.baselines.selection import (
    BaselineChoice,
    choose_baseline,
    list_candidates,
)
from visual_review.builds.source import BranchKey, BuildSource

MAIN = BranchKey("main")
FEATURE = BranchKey("feature/x")
RELEASE = BranchKey("release")
FORKS_MAIN = BranchKey("main", "someone/fork")

branches = st.sampled_from(["main", "feature/x", "release"])
heads = st.sampled_from(["", "someone/fork"])
keys = st.builds(BranchKey, branches, heads)
sources = st.builds(
    BuildSource,
    branch=branches,
    head_repository=heads,
    pull_request=st.sampled_from([None, 1]),
    base_branch=st.one_of(st.just(""), branches),
)


def push(own: BranchKey) -> BuildSource:
    return BuildSource(branch=own.branch, head_repository=own.head_repository)


def pull_request(own: BranchKey, base_branch: str) -> BuildSource:
    return BuildSource(
        branch=own.branch,
        head_repository=own.head_repository,
        pull_request=1,
        base_branch=base_branch,
    )


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
    for source, existing, expected in CHOICES:
        with case(f"{source}, {existing}"):
            assert choose_baseline(source, "main", existing) == expected


@given(sources, branches, st.sets(keys))
def test_the_choice_exists_and_no_better_candidate_does(
    source: BuildSource, default: str, existing: set[BranchKey]
) -> None:
    choice = choose_baseline(source, default, existing)
    if choice.key is None:
        assert not existing & {candidate.key for candidate in list_candidates(source, default)}
        return
    better = list_candidates(source, default)[: list_candidates(source, default).index(choice)]
    assert choice.key in existing
    assert not existing & {candidate.key for candidate in better}


@given(sources, branches, st.sets(keys))
def test_a_pull_request_is_never_compared_with_a_forks_branch(
    source: BuildSource, default: str, existing: set[BranchKey]
) -> None:
    choice = choose_baseline(source, default, existing)
    if source.is_pull_request and choice.key is not None:
        assert choice.key.head_repository == ""


@given(sources, branches, st.sets(keys), keys)
def test_a_baseline_of_an_unrelated_branch_changes_nothing(
    source: BuildSource, default: str, existing: set[BranchKey], other: BranchKey
) -> None:
    if other not in {candidate.key for candidate in list_candidates(source, default)}:
        assert choose_baseline(source, default, existing | {other}) == choose_baseline(
            source, default, existing
        )
