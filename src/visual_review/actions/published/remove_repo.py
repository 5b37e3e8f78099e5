"""remove_repo: a repository goes, with all it holds."""

from typing import Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.queries import repository_of
from visual_review.repositories.removal import mark_removed
from visual_review.repositories.targets import repository_target

VERB = "repository.removed"


class Input(ActionInput):
    repo_id: str = Field(description="The repository's id, from list_repos.")


class Result(ActionResult):
    """It is gone from every list and its token has ended; the bytes follow in the background."""

    repo_id: str
    full_name: str
    removed: Literal[True]


def run(caller: Caller, values: Input) -> Outcome[Result]:
    # Locked, so that of two removals at once the second finds nothing.
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
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
    return Outcome(result, (change,))


ACTION = Action(
    name="remove_repo",
    title="Remove a repository",
    permission=REPOS_MANAGE,
    description="Removes a repository with all its builds, screenshots and baselines. This "
    "cannot be undone.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # Nothing brings it back. A second call finds nothing and changes nothing.
    hints=Hints(destructive=True),
)
