"""What a CI job's identity allows, over all builds it may speak of."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.kernel.errors import UnauthenticatedError
from visual_review.repositories.identity_claims import Identity, identity_of, issuers_of
from visual_review.repositories.identity_rules import IdentityClaim, refusal

BRANCHES = st.sampled_from(["main", "feature", "release"])
COMMITS = st.sampled_from(["c1", "c2", "m1"])
NUMBERS = st.none() | st.integers(1, 3)
SAID = st.builds(
    IdentityClaim,
    branch=BRANCHES,
    head_repository=st.sampled_from(["", "somebody/web"]),
    pull_request=NUMBERS,
    base_branch=st.sampled_from(["", "main", "release"]),
    commit=st.none() | COMMITS,
    merge_commit=st.sampled_from(["", "m1"]),
)
OF_BRANCHES = st.builds(
    Identity,
    issuer=st.just("i"),
    subject=st.just("s"),
    repository=st.just("acme/web"),
    repository_id=st.just("1"),
    commit=COMMITS,
    branch=st.sampled_from(["", "main", "feature"]),
)
OF_PULL_REQUESTS = st.builds(
    Identity,
    issuer=st.just("i"),
    subject=st.just("s"),
    repository=st.just("acme/web"),
    repository_id=st.just("1"),
    commit=st.sampled_from(["", "c1", "m1"]),
    branch=st.sampled_from(["", "main", "feature"]),
    is_pull_request=st.sampled_from([True]),
    pull_request=NUMBERS,
    base_branch=st.sampled_from(["", "main", "release"]),
)
ISSUERS = issuers_of(["https://github.com", "https://gitlab.com", "https://code.acme.example"])
GITHUB = ISSUERS[0]


@given(OF_PULL_REQUESTS, SAID, BRANCHES)
def test_a_pull_requests_job_never_publishes_one_of_our_targets(
    identity: Identity, said: IdentityClaim, default: str
) -> None:
    if refusal(identity, said, default):
        return
    assert said.pull_request is not None
    assert said.head_repository or said.branch not in {default, said.base_branch}


@given(OF_PULL_REQUESTS, SAID, BRANCHES)
def test_what_the_claims_of_a_pull_request_tell_is_what_the_build_says(
    identity: Identity, said: IdentityClaim, default: str
) -> None:
    if refusal(identity, said, default):
        return
    assert identity.pull_request in (None, said.pull_request)
    assert identity.branch in ("", said.branch)
    assert not (identity.base_branch and said.base_branch) or (
        identity.base_branch == said.base_branch
    )
    if identity.commit and said.commit is not None:
        assert identity.commit in (said.commit, said.merge_commit)


@given(OF_BRANCHES, SAID, BRANCHES)
def test_a_branchs_job_publishes_its_branch_and_commit_alone(
    identity: Identity, said: IdentityClaim, default: str
) -> None:
    allowed = not refusal(identity, said, default)
    fits = (
        said.head_repository == ""
        and identity.branch == said.branch
        and (said.commit is None or identity.commit in (said.commit, said.merge_commit))
    )
    assert allowed == fits


@given(OF_BRANCHES | OF_PULL_REQUESTS, SAID, BRANCHES)
def test_saying_more_of_the_commit_never_allows_more(
    identity: Identity, said: IdentityClaim, default: str
) -> None:
    if refusal(identity, replace(said, commit=None), default):
        assert refusal(identity, said, default)


def test_issuers_are_those_of_the_hosts_that_may_be_reached() -> None:
    assert [(issuer.url, issuer.kind) for issuer in ISSUERS] == [
        ("https://token.actions.githubusercontent.com", "github"),
        ("https://gitlab.com", "gitlab"),
        ("https://code.acme.example", "gitlab"),
        ("https://code.acme.example/_services/token", "github"),
    ]
    assert issuers_of(["http://plain.example", "https://codeberg.org", "memory://test"]) == ()


CLAIMS = {
    "sub": "s",
    "repository": "acme/web",
    "repository_id": "1",
    "event_name": "push",
    "ref": "refs/heads/main",
    "sha": "c1",
}


# PostgreSQL stores no NUL, so claims with one are refused before anything is made of them.
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


@given(WORDS, WORDS)
def test_only_known_events_on_a_branch_count_as_ours(event: str, ref: str) -> None:
    claims = {**CLAIMS, "event_name": event or "x", "ref": ref or "x"}
    found = identity_of(GITHUB, claims)
    ours = event in {
        *("push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group"),
    }
    assert found.is_pull_request != ours


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("value", [None, "", [], {}, 1.5, True])
def test_a_claim_that_is_missing_or_odd_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(UnauthenticatedError, match=f"'{name}'"):
        identity_of(GITHUB, {**CLAIMS, name: value})


def test_ids_may_be_numbers() -> None:
    assert identity_of(GITHUB, {**CLAIMS, "repository_id": 7}).repository_id == "7"
