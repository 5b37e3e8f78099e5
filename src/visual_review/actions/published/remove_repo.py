"""remove_repo: remove a repository with all its data, and end its charges immediately."""

from typing import Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.identifiers import RepoId
from visual_review.actions.recording_results import enrollment_entry, make_payer
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.recordings.enrollment import disable
from visual_review.repositories.connect import mark_removed
from visual_review.repositories.queries import repository_of, repository_target

VERB = "repository.removed"
DISABLED = "recordings.disabled"


class Input(ActionInput):
    repo_id: RepoId


class Result(ActionResult):
    """The repository is hidden and its token revoked; its files are deleted in the background."""

    repo_id: RepoId
    full_name: str = Field(description="Name of the removed repository.", examples=["acme/web"])
    removed: Literal[True] = Field(description="Always true; a second call finds no repository.")


def run(caller: Caller, values: Input) -> Outcome[Result]:
    # Locked, so that the second of two simultaneous removals finds nothing.
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    disabled = disable(repository, make_payer(caller))
    mark_removed(repository)
    change = Change(
        VERB,
        repository_target(repository),
        before={
            "fullName": repository.full_name,
            "defaultBranch": repository.default_branch,
            "builds": repository.last_build_number,
        },
    )
    result = Result(repo_id=repository.id, full_name=repository.full_name, removed=True)
    if disabled.former is None:
        return Outcome(result, (change,))
    enrollment = enrollment_entry(disabled.former)
    # A separate entry, so that the end of every charge can be found by one verb.
    charge_end = Change(DISABLED, repository_target(repository), enrollment, {"enabled": False})
    return Outcome(result, (charge_end, change))


ACTION = Action(
    name="remove_repo",
    title="Remove a repository",
    permission=REPOS_MANAGE,
    description="Removes a repository with all its builds, screenshots, baselines and recordings, "
    "for good.",
    input=Input,
    result=Result,
    frees_space=True,
    run=run,
    verbs=(VERB, DISABLED),
    # A removal cannot be undone. A second call finds nothing and changes nothing.
    hints=Hints(destructive=True),
)
