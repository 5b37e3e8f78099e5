"""The rights of a CI job's identity, for all builds it may claim."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.kernel.errors import UnauthenticatedError
from visual_review.repositories.identity_claims import Identity, identity_of, issuers_of
from visual_review.repositories.identity_rules import (
    BuildClaim,
    KnownRepository,
    Recognition,
    find_mismatch,
    recognize,
)

BRANCHES = st.sampled_from(["main", "feature", "release"])
COMMITS = st.sampled_from(["c1", "c2", "m1"])
NUMBERS = st.none() | st.integers(1, 3)
CLAIMED_BUILDS = st.builds(
    BuildClaim,
    branch=BRANCHES,
    head_repository=st.sampled_from(["", "fork/web"]),
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


@given(OF_PULL_REQUESTS, CLAIMED_BUILDS, BRANCHES)
def test_a_pull_requests_job_never_publishes_a_base_branch(
    identity: Identity, claim: BuildClaim, default: str
) -> None:
    if find_mismatch(identity, claim, default):
        return
    assert claim.pull_request is not None
    assert claim.head_repository or claim.branch not in {default, claim.base_branch}


@given(OF_PULL_REQUESTS, CLAIMED_BUILDS, BRANCHES)
def test_an_allowed_build_matches_the_claims_of_the_pull_request(
    identity: Identity, claim: BuildClaim, default: str
) -> None:
    if find_mismatch(identity, claim, default):
        return
    assert identity.pull_request in (None, claim.pull_request)
    assert identity.branch in ("", claim.branch)
    assert not (identity.base_branch and claim.base_branch) or (
        identity.base_branch == claim.base_branch
    )
    if identity.commit and claim.commit is not None:
        assert identity.commit in (claim.commit, claim.merge_commit)


@given(OF_BRANCHES, CLAIMED_BUILDS, BRANCHES)
def test_a_branchs_job_publishes_only_its_branch_and_commit(
    identity: Identity, claim: BuildClaim, default: str
) -> None:
    allowed = not find_mismatch(identity, claim, default)
    fits = (
        claim.head_repository == ""
        and identity.branch == claim.branch
        # CI's own merges for testing belong to pull requests.
        and (not identity.commit or claim.commit in (None, identity.commit))
    )
    assert allowed == fits


@given(OF_BRANCHES | OF_PULL_REQUESTS, CLAIMED_BUILDS, BRANCHES)
def test_claiming_a_commit_never_allows_more(
    identity: Identity, claim: BuildClaim, default: str
) -> None:
    if find_mismatch(identity, replace(claim, commit=None), default):
        assert find_mismatch(identity, claim, default)


def test_issuers_are_those_of_the_configured_hosts() -> None:
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


# PostgreSQL stores no NUL, so claims with one are rejected first.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


@given(TEXTS, TEXTS)
def test_only_known_events_are_trusted_as_the_branchs(event: str, ref: str) -> None:
    claims = {**CLAIMS, "event_name": event or "x", "ref": ref or "x"}
    found = identity_of(GITHUB, claims)
    trusted = event in {
        *("push", "schedule", "workflow_dispatch", "repository_dispatch", "merge_group"),
    }
    assert found.is_pull_request != trusted


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("value", [None, "", [], {}, 1.5, True])
def test_a_missing_or_invalid_claim_is_rejected_by_name(name: str, value: object) -> None:
    with pytest.raises(UnauthenticatedError, match=f"'{name}'"):
        identity_of(GITHUB, {**CLAIMS, name: value})


def test_ids_may_be_numbers() -> None:
    assert identity_of(GITHUB, {**CLAIMS, "repository_id": 7}).repository_id == "7"


ACCEPTED, OTHER, CHANGED = Recognition.ACCEPTED, Recognition.OTHER, Recognition.CHANGED
# The token's name and id; the connected account's id and the pin; the outcome.
RECOGNIZED = (
    (("acme/web", "1"), ("", ""), ACCEPTED),
    (("ACME/Web", "1"), ("", ""), ACCEPTED),
    (("acme/other", "1"), ("", ""), OTHER),
    (("acme/web", "1"), ("", "1"), ACCEPTED),
    (("acme/renamed", "1"), ("", "1"), ACCEPTED),
    (("acme/web", "2"), ("", "1"), CHANGED),
    (("acme/other", "2"), ("", "1"), OTHER),
    (("acme/renamed", "1"), ("1", ""), ACCEPTED),
    (("acme/renamed", "1"), ("1", "1"), ACCEPTED),
    (("acme/web", "2"), ("1", ""), OTHER),
    (("acme/web", "2"), ("1", "1"), OTHER),
    # The account was connected after the name had changed hands.
    (("acme/web", "2"), ("2", "1"), CHANGED),
    (("acme/renamed", "2"), ("2", "1"), CHANGED),
    (("acme/web", "1"), ("2", "1"), OTHER),
)


@pytest.mark.parametrize(("named", "known", "expected"), RECOGNIZED)
def test_a_known_id_counts_and_otherwise_the_name(
    named: tuple[str, str], known: tuple[str, str], expected: Recognition
) -> None:
    identity = Identity("i", "s", repository=named[0], repository_id=named[1], commit="c1")
    assert recognize(identity, KnownRepository("acme/web", *known)) is expected
