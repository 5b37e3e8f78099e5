"""What a CI job with an identity token may publish; pure.

A project token says: this repository trusts the job. An identity says which job it is, hence what
the job tells of its build is held against that. A job of a pull request may run code of strangers
and never publishes what could become the baseline of one of our branches by itself.
"""

from dataclasses import dataclass

from visual_review.repositories.identity_claims import Identity


@dataclass(frozen=True)
class IdentityClaim:
    """What a build says of itself. ``commit`` is None where nothing was said of it yet.

    ``head_repository`` is empty for our own repository.
    """

    branch: str
    head_repository: str = ""
    pull_request: int | None = None
    base_branch: str = ""
    commit: str | None = None
    merge_commit: str = ""


def refusal(identity: Identity, said: IdentityClaim, default_branch: str) -> str:
    """Why the job may not publish such a build, in words; empty when it may."""
    faults = (
        _fault_of_pull_request(identity, said, default_branch)
        if identity.is_pull_request
        else _fault_of_branch(identity, said)
    )
    fault = faults or _fault_of_commit(identity, said)
    return f"The identity token does not allow this build: {fault}" if fault else ""


def head_refusal(said: IdentityClaim, head_repository: str, head_branch: str) -> str:
    """As ``refusal``, for a pull request whose head the source host itself told us.

    Claims do not tell the repository of a head, hence a fork's job could call it ours.
    """
    same = said.head_repository.casefold() == head_repository.casefold()
    if same and said.branch == head_branch:
        return ""
    place = f"'{head_branch}' of {head_repository or 'this repository'}"
    return f"The identity token does not allow this build: its pull request comes from {place}."


def _fault_of_pull_request(identity: Identity, said: IdentityClaim, default_branch: str) -> str:
    if said.pull_request is None:
        return "it is of a pull request's job, which publishes builds of pull requests only."
    if identity.pull_request not in (None, said.pull_request):
        return f"it is of pull request #{identity.pull_request}, the build of #{said.pull_request}."
    if identity.branch and identity.branch != said.branch:
        return f"it is of the branch '{identity.branch}', the build of '{said.branch}'."
    if identity.base_branch and said.base_branch not in ("", identity.base_branch):
        return f"its pull request targets '{identity.base_branch}', the build '{said.base_branch}'."
    targets = {default_branch, said.base_branch, identity.base_branch} - {""}
    # The branch of a fork may well be called main, and is another branch than ours.
    if not said.head_repository and said.branch in targets:
        return (
            f"a pull request's job cannot publish as our own branch '{said.branch}'. For a fork, "
            "say which repository the branch lies in."
        )
    return ""


def _fault_of_branch(identity: Identity, said: IdentityClaim) -> str:
    if said.head_repository:
        return "it is of a job of this repository, the build of a fork's branch."
    if not identity.branch:
        return "it is of a job that runs for no branch."
    if identity.branch != said.branch:
        return f"it is of the branch '{identity.branch}', the build of '{said.branch}'."
    return ""


def _fault_of_commit(identity: Identity, said: IdentityClaim) -> str:
    if not identity.commit or said.commit is None:
        return ""
    if identity.commit in (said.commit, said.merge_commit):
        return ""
    return f"it is of the commit {identity.commit[:12]}, the build of {said.commit[:12]}."
