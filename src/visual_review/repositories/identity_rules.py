"""Rules for publishing by a CI job with an identity token; pure.

A project token says: this repository trusts the job. An identity token says which job it is, so the
job's claims about its build are compared with the token. A job of a pull request may run code of
outsiders and must not publish a possible baseline of one of the repository's branches.
"""

from dataclasses import dataclass
from enum import Enum

from visual_review.repositories.identity_claims import Identity
from visual_review.repositories.names import is_same_name


@dataclass(frozen=True)
class BuildClaim:
    """A job's claims about its build; no ``commit`` until the commit is sent.

    ``head_repository`` is empty for the connected repository itself.
    """

    branch: str
    head_repository: str = ""
    pull_request: int | None = None
    base_branch: str = ""
    commit: str | None = None
    merge_commit: str = ""


class Recognition(Enum):
    """Whether an identity belongs to a connected repository."""

    ACCEPTED = "accepted"
    OTHER = "other"
    # The name is the repository's, but another repository with the name was accepted before.
    CHANGED = "changed"


@dataclass(frozen=True)
class KnownRepository:
    """The known facts about a connected repository at its Git provider.

    ``host_id`` is from a connected account, ``pin`` from the first accepted token; empty: unknown.
    """

    full_name: str
    host_id: str = ""
    pin: str = ""


def recognize(identity: Identity, known: KnownRepository) -> Recognition:
    """Compare the token's repository with a connected repository.

    A name may be released at the provider and reused by someone else, an id may not. So if an id
    is known, only the id counts.
    """
    same_name = is_same_name(identity.repository, known.full_name)
    ids = {known.host_id, known.pin} - {""}
    if ids == {identity.repository_id} or (not ids and same_name):
        return Recognition.ACCEPTED
    # An account connected later may itself have found a repository that reuses the name.
    is_only_pinned_otherwise = known.pin and known.host_id in ("", identity.repository_id)
    named = same_name or known.host_id == identity.repository_id
    return Recognition.CHANGED if is_only_pinned_otherwise and named else Recognition.OTHER


def find_mismatch(identity: Identity, claim: BuildClaim, default_branch: str) -> str:
    """Return why the job may not publish the build; empty if it may."""
    problem = (
        _pull_request_mismatch(identity, claim, default_branch)
        if identity.is_pull_request
        else _branch_mismatch(identity, claim)
    )
    problem = problem or _commit_mismatch(identity, claim)
    return f"The identity token does not allow this build: {problem}" if problem else ""


def find_head_mismatch(claim: BuildClaim, head_repository: str, head_branch: str) -> str:
    """As ``find_mismatch``, for a pull request whose head the Git provider has reported.

    Tokens do not name the head's repository, so a fork's job could claim the head is in this
    repository.
    """
    same = is_same_name(claim.head_repository, head_repository)
    if same and claim.branch == head_branch:
        return ""
    head = f"'{head_branch}' of {head_repository or 'this repository'}"
    return f"The identity token does not allow this build: its pull request comes from {head}."


def names_another_commit(identity: Identity, claim: BuildClaim) -> bool:
    """Whether the build's commit differs from the token's, a merge made for testing.

    The token says nothing about such a commit, so the Git provider has to confirm the commit.
    """
    return bool(identity.commit) and claim.commit not in (None, identity.commit)


def _pull_request_mismatch(identity: Identity, claim: BuildClaim, default_branch: str) -> str:
    if claim.pull_request is None:
        return "a pull request's job can publish builds of pull requests only."
    if identity.pull_request not in (None, claim.pull_request):
        return (
            f"the token is for pull request #{identity.pull_request}, the build for "
            f"#{claim.pull_request}."
        )
    if identity.branch and identity.branch != claim.branch:
        return f"the token is for the branch '{identity.branch}', the build for '{claim.branch}'."
    if identity.base_branch and claim.base_branch not in ("", identity.base_branch):
        return (
            f"the token's pull request has the base branch '{identity.base_branch}', the build's "
            f"has '{claim.base_branch}'."
        )
    base_branches = {default_branch, claim.base_branch, identity.base_branch} - {""}
    # A fork's branch may also be named main, but is a different branch.
    if not claim.head_repository and claim.branch in base_branches:
        return (
            f"a pull request's job cannot publish for this repository's branch '{claim.branch}'. "
            "If the branch is in a fork, name the fork as the head repository."
        )
    return ""


def _branch_mismatch(identity: Identity, claim: BuildClaim) -> str:
    if claim.head_repository:
        return "the token is for a job of this repository, the build for a fork's branch."
    if not identity.branch:
        return "the token's job does not run for a branch."
    if identity.branch != claim.branch:
        return f"the token is for the branch '{identity.branch}', the build for '{claim.branch}'."
    return ""


def _commit_mismatch(identity: Identity, claim: BuildClaim) -> str:
    if not identity.commit or claim.commit is None:
        return ""
    # The job of a pull request may run on a merge made by CI only to test the pull request.
    merge = claim.merge_commit if identity.is_pull_request else ""
    if identity.commit in (claim.commit, merge):
        return ""
    return f"the token is for the commit {identity.commit[:12]}, the build for {claim.commit[:12]}."
